#include "placement/jobs/mapper.hpp"

#include "placement/mapping/routed_score.hpp"

namespace railyard::placement {

/// The traffic of a strategy's step, and the grid of its ranks.
struct Mapper::StrategyTraffic {
  RankGrid grid;
  std::vector<TrafficPhase> phases;

  StrategyTraffic(const Job& job, const Strategy& strategy)
      : grid(strategy_grid(strategy)), phases(step_traffic(job, strategy)) {}
};

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
  return ordered_mapping(strategy, free_gpus(problem_.types), problem_.order);
}

std::vector<Mapping> Mapper::mappings(const Strategy& strategy) const {
  std::vector<Mapping> all;
  if (searches_) {
    const StrategyTraffic traffic(problem_.job, strategy);
    all.push_back(optimise_mapping(tiers_, request(strategy, traffic)).mapping);
  }
  all.push_back(ordered(strategy));
  return all;
}

MappingRequest Mapper::request(const Strategy& strategy, const StrategyTraffic& traffic) const {
  MappingRequest request{.grid = &traffic.grid,
                         .phases = traffic.phases,
                         .free = free_gpus(problem_.types),
                         .evaluate = evaluate_,
                         .judged_by = problem_.routing};
  if (problem_.types.size() > 1) request.rank_types = rank_types(strategy);
  return request;
}

std::vector<MappingOption> Mapper::options(const Strategy& strategy) const {
  const StrategyTraffic traffic(problem_.job, strategy);
  EvaluateOptions even = evaluate_;
  even.hashed = false;
  Evaluator evaluator(tiers_, traffic.phases, even);
  RoutedScore routed(tiers_, traffic.phases, problem_.routing, even);
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
  const MappingRequest asked_for = request(strategy, traffic);
  add("as ordered", std::move(naive));
  add("best dimension order", best_axis_order(tiers_, asked_for));
  add("searched", optimise_mapping(tiers_, asked_for));
  return options;
}

MappingChoice Mapper::searched(const Strategy& strategy, const GpusByType& free) const {
  const StrategyTraffic traffic(problem_.job, strategy);
  MappingRequest alone = request(strategy, traffic);
  alone.free = free;
  alone.evaluate.available = {};
  alone.evaluate.left_of_links = {};
  alone.judged_by.reset();
  return optimise_mapping(tiers_, alone);
}

std::vector<PhaseLoad> Mapper::loads(const Strategy& strategy, const Mapping& mapping) const {
  const auto phases = step_traffic(problem_.job, strategy);
  return placement::evaluate(mapping, phases, tiers_, evaluate_);
}

}  // namespace railyard::placement
