#include "apps/place/mixed_instead.hpp"

#include <fmt/format.h>

#include "placement/search/search.hpp"

namespace railyard::apps {
namespace {

using placement::MixedResult;
using placement::MixedScored;
using placement::MixedSpace;
using placement::MixedVerified;

/// A strategy on one type alone.
MixedScored on_type(const placement::MixedContext& c, const placement::Strategy& s, int type) {
  const placement::PipelineClass one{
      .types = std::vector<int>(static_cast<std::size_t>(s.pp), type),
      .replicas = s.dp,
      .micro_batches = placement::micro_batches(c.job.batch, s)};
  return placement::mixed_cost(c, {.strategy = s, .classes = {one}}, placement::type_blocks(c, s));
}

}  // namespace

OtherWays other_ways(const PlaceRequest& request, const placement::PlaceProblem& q,
                     const TypeForms& forms, const MixedMappings& mappings,
                     const MixedVerified& best) {
  const placement::MixedContext c = forms.context(q);
  OtherWays others;
  std::vector<Instead>& ways = others.ways;
  std::vector<MixedScored>& found = others.strategies;
  ways.push_back({.what = "(the best)",
                  .strategy = placement::to_text(best.scored.mixed),
                  .gpus = best.scored.mixed.strategy.gpus(),
                  .seconds = best.scored.step.total.seconds()});
  if (best.simulated) ways.front().simulated = best.simulated->total.seconds();
  const auto add = [&](std::string what, std::string text, const MixedScored& m) {
    ways.push_back({.what = std::move(what),
                    .strategy = std::move(text),
                    .gpus = m.mixed.strategy.gpus(),
                    .seconds = m.step.total.seconds()});
    found.push_back(m);
  };
  const MixedSpace even{
      .top = 1, .overlap = request.space.overlap, .uneven_layers = false, .uneven_batches = false};
  const MixedResult equal = placement::search_mixed(c, even);
  if (!equal.best.empty())
    add("even layers and micro-batches", placement::to_text(equal.best.front().mixed),
        equal.best.front());
  for (int t = 0; t < static_cast<int>(c.types.size()); ++t) {
    const placement::SearchResult alone =
        placement::search(c.of(q.job, t), {.gpus = c.types[static_cast<std::size_t>(t)].gpus(),
                                           .top = 1,
                                           .overlap = request.space.overlap});
    if (!alone.best.empty())
      add(fmt::format("{} alone", placement::type_name(t)),
          placement::to_text(alone.best.front().strategy),
          on_type(c, alone.best.front().strategy, t));
  }
  if (!best.simulated) return others;
  const auto ran = run_each(request, q, forms, mappings, found);
  for (std::size_t i = 0; i < ran.size(); ++i)
    if (ran[i].simulated) ways[i + 1].simulated = ran[i].simulated->total.seconds();
  return others;
}

}  // namespace railyard::apps
