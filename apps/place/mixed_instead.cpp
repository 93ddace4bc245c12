#include "apps/place/mixed_instead.hpp"

#include <fmt/format.h>

#include "placement/search/search.hpp"

namespace railyard::apps {
namespace {

using placement::Scored;
using placement::SearchResult;
using placement::SearchSpace;
using placement::Verified;

/// A strategy on one type alone, among several.
Scored on_type(const placement::CostContext& c, placement::Strategy s, int type) {
  s.classes = {{.types = std::vector<int>(static_cast<std::size_t>(s.pp), type),
                .replicas = s.dp,
                .micro_batches = placement::micro_batches(c.job.batch, s)}};
  return placement::score(c, s);
}

}  // namespace

OtherWays other_ways(const PlaceFlags& flags, const Question& q, const MixedMappings& mappings,
                     const Verified& best) {
  const placement::CostContext c = q.context();
  OtherWays others;
  std::vector<Instead>& ways = others.ways;
  std::vector<Scored>& found = others.strategies;
  ways.push_back({.what = "(the best)",
                  .strategy = placement::to_text(best.scored.strategy),
                  .gpus = best.scored.strategy.gpus(),
                  .seconds = best.scored.step.total.seconds()});
  if (best.simulated) ways.front().simulated = best.simulated->total.seconds();
  const auto add = [&](std::string what, std::string text, const Scored& m) {
    ways.push_back({.what = std::move(what),
                    .strategy = std::move(text),
                    .gpus = m.strategy.gpus(),
                    .seconds = m.step.total.seconds()});
    found.push_back(m);
  };
  const SearchSpace even{
      .top = 1, .overlap = !flags.no_overlap, .uneven_layers = false, .uneven_batches = false};
  const SearchResult equal = placement::search(c, even);
  if (!equal.best.empty())
    add("even layers and micro-batches", placement::to_text(equal.best.front().strategy),
        equal.best.front());
  for (int t = 0; t < static_cast<int>(c.types.size()); ++t) {
    const placement::SearchResult alone =
        placement::search(c.on(t), {.gpus = c.on(t).gpus, .top = 1, .overlap = !flags.no_overlap});
    if (!alone.best.empty())
      add(fmt::format("{} alone", placement::type_name(t)),
          placement::to_text(alone.best.front().strategy),
          on_type(c, alone.best.front().strategy, t));
  }
  if (!best.simulated) return others;
  const auto ran = run_each(flags, q, mappings, found);
  for (std::size_t i = 0; i < ran.size(); ++i)
    if (ran[i].simulated) ways[i + 1].simulated = ran[i].simulated->total.seconds();
  return others;
}

}  // namespace railyard::apps
