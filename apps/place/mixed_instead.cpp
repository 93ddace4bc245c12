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

OtherWays other_ways(const PlaceRequest& request, const placement::PlaceProblem& q,
                     const MixedMappings& mappings, const Verified& best) {
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
  SearchSpace even = request.space;
  even.top = 1;
  even.uneven_layers = even.uneven_batches = false;
  const SearchResult equal = placement::search(c, even);
  if (!equal.best.empty())
    add("even layers and micro-batches", placement::to_text(equal.best.front().strategy),
        equal.best.front());
  const auto alone_on = [&](int type) {
    SearchSpace space = request.space;
    space.gpus = c.on(type).gpus;
    space.top = 1;
    return space;
  };
  for (int t = 0; t < static_cast<int>(c.types.size()); ++t) {
    const placement::SearchResult alone = placement::search(c.on(t), alone_on(t));
    if (!alone.best.empty())
      add(fmt::format("{} alone", placement::type_name(t)),
          placement::to_text(alone.best.front().strategy),
          on_type(c, alone.best.front().strategy, t));
  }
  if (!best.simulated) return others;
  const auto ran = run_each(request, q, mappings, found);
  for (std::size_t i = 0; i < ran.size(); ++i)
    if (ran[i].simulated) ways[i + 1].simulated = ran[i].simulated->total.seconds();
  return others;
}

}  // namespace railyard::apps
