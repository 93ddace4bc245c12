#include "placement/jobs/alternatives.hpp"

#include <fmt/format.h>

namespace railyard::placement {
namespace {

/// The cost of a strategy with all its pipelines on one of several types.
Scored on_type(const CostContext& c, Strategy s, int type) {
  s.classes = {{.types = std::vector<int>(static_cast<std::size_t>(s.pp), type),
                .replicas = s.dp,
                .micro_batches = micro_batches(c.job.batch, s)}};
  return score(c, s);
}

}  // namespace

std::vector<Alternative> alternatives(const PlaceProblem& problem, const SearchSpace& space,
                                      const Mapper& mapper, const EngineFactory& engines) {
  std::vector<Alternative> found;
  if (problem.types.size() == 1) return found;
  const CostContext c = problem.context();
  SearchSpace even = space;
  even.top = 1;
  even.uneven_layers = even.uneven_batches = false;
  if (const SearchResult equal = search(c, even); !equal.best.empty())
    found.push_back({.name = "even layers and micro-batches",
                     .strategy = to_text(equal.best.front().strategy),
                     .run = {.scored = equal.best.front()}});
  for (int t = 0; t < static_cast<int>(c.types.size()); ++t) {
    SearchSpace own = space;
    own.gpus = c.on(t).gpus;
    own.top = 1;
    const SearchResult alone = search(c.on(t), own);
    if (alone.best.empty()) continue;
    const Strategy& strategy = alone.best.front().strategy;
    found.push_back({.name = fmt::format("{} alone", type_name(t)),
                     .strategy = to_text(strategy),
                     .run = {.scored = on_type(c, strategy, t)}});
  }
  if (!engines) return found;
  const auto engine = engines(problem);
  for (Alternative& one : found)
    one.run = verify_search({.context = c,
                             .engine = *engine,
                             .mappings = [&](const Strategy& s) { return mapper.mappings(s); }},
                            std::span(&one.run.scored, 1))
                  .front();
  return found;
}

double times_as_long(const Verified& run, const Verified& best) {
  const bool both = run.simulated && best.simulated;
  const auto step = [&](const Verified& one) {
    return (both ? *one.simulated : one.scored.step).total.seconds();
  };
  return step(run) / step(best);
}

}  // namespace railyard::placement
