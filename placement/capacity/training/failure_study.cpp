#include "placement/capacity/training/failure_study.hpp"

#include <cassert>
#include <utility>

#include "placement/capacity/training/training_cases.hpp"

namespace railyard::placement {

FailureStudy failure_study(const TrainingPlanRequest& request, const TrainingOption& option) {
  constexpr std::size_t kLargest = 5;
  const PlaceProblem problem =
      case_problem(option.cluster, option.asked_nodes, request.job, option.asked_gpus);
  const ClusterParts parts = cluster_parts(problem.cluster);
  const OptionCase one{.problem = problem,
                       .parts = parts,
                       .scored = option.best,
                       .grey = option.grey,
                       .shrunk = option.shrunk};
  RunSetup setup = run_setup(request.training, one, RangeEnd::value);
  FailureStudy study{
      .wastes = largest_wastes(setup, option.goodput, request.training.runs, kLargest),
      .recovery = compare_recovery(request.training, one)};
  study.grey = std::move(setup.grey);
  return study;
}

double price_in_cost(const TrainingOption& option) {
  assert(option.cost);
  const double hours = option.days.value * 24;
  return option.cost->value / hours / (option.gpus + option.spares * option.gpus / option.nodes);
}

}  // namespace railyard::placement
