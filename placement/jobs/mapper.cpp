#include "placement/jobs/mapper.hpp"

#include "placement/mapping/routed_score.hpp"

namespace railyard::placement {

Mapping ordered_mapping(const Strategy& strategy, const DimensionOrder& order,
                        std::span<const Rank> gpus) {
  const RankGrid grid = strategy_grid(strategy);
  return map_in_order(grid.ranks_in(layout_in(strategy, order)), gpus.first(grid.size()));
}

Mapper::Mapper(const PlaceProblem& problem, bool searches)
    : problem_(problem),
      searches_(searches),
      tiers_(problem.cluster),
      left_(bandwidth_left(problem, tiers_)) {
  evaluate_ = evaluate_options(problem.cluster);
  evaluate_.hashed = problem.routing.policy == topology::RoutingPolicy::ecmp;
  evaluate_.flows_per_pair = problem.routing.qps;
  evaluate_.available = left_.of_trunks;
  evaluate_.left_of_links = left_.of_links;
}

Mapping Mapper::ordered(const Strategy& strategy) const {
  return ordered_mapping(strategy, problem_.order, problem_.free);
}

std::vector<Mapping> Mapper::mappings(const Strategy& strategy) const {
  std::vector<Mapping> all;
  if (searches_) {
    const RankGrid grid = strategy_grid(strategy);
    const auto phases = step_traffic(problem_.job, strategy);
    all.push_back(optimise_mapping(tiers_, request(grid, phases)).mapping);
  }
  all.push_back(ordered(strategy));
  return all;
}

MappingRequest Mapper::request(const RankGrid& grid, std::span<const TrafficPhase> phases) const {
  return {.grid = &grid,
          .phases = phases,
          .free = problem_.free,
          .evaluate = evaluate_,
          .judged_by = problem_.routing};
}

std::vector<MappingOption> Mapper::options(const Strategy& strategy) const {
  const RankGrid grid = strategy_grid(strategy);
  const auto phases = step_traffic(problem_.job, strategy);
  EvaluateOptions even = evaluate_;
  even.hashed = false;
  Evaluator evaluator(tiers_, phases, even);
  RoutedScore routed(tiers_, phases, problem_.routing, even);
  MappingChoice naive{.mapping = ordered(strategy),
                      .score = {},
                      .layout = layout_in(strategy, problem_.order),
                      .order = {}};
  naive.order = to_text(naive.layout);
  std::vector<MappingOption> options;
  const auto add = [&](std::string method, MappingChoice choice) {
    choice.score = evaluator.score(choice.mapping);
    const double seconds = routed(choice.mapping);
    options.push_back({std::move(method), std::move(choice), seconds});
  };
  add("as ordered", std::move(naive));
  add("best axis order", best_axis_order(tiers_, request(grid, phases)));
  add("searched", optimise_mapping(tiers_, request(grid, phases)));
  return options;
}

MappingChoice Mapper::searched(const Strategy& strategy, std::span<const Rank> free) const {
  const RankGrid grid = strategy_grid(strategy);
  const auto phases = step_traffic(problem_.job, strategy);
  MappingRequest asked = request(grid, phases);
  asked.free = free;
  asked.evaluate.available = {};
  asked.evaluate.left_of_links = {};
  asked.judged_by.reset();
  return optimise_mapping(tiers_, asked);
}

std::vector<PhaseLoad> Mapper::loads(const Strategy& strategy, const Mapping& mapping) const {
  const auto phases = step_traffic(problem_.job, strategy);
  return placement::evaluate(mapping, phases, tiers_, evaluate_);
}

}  // namespace railyard::placement
