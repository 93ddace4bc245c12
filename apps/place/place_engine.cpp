#include "apps/place/place_engine.hpp"

#include <memory>

#include "apps/sim/engine.hpp"
#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/nccl/timing/fitted_pace.hpp"
#include "core/diagnostic.hpp"
#include "placement/jobs/bandwidth_left.hpp"
#include "sim/workload/workload_run.hpp"
#include "topology/cluster/add_faults.hpp"
#include "topology/cluster/read_timings.hpp"

namespace railyard::apps {
namespace {

using collectives::nccl::FittedPace;
using collectives::nccl::FittedTime;
using placement::PlaceProblem;

/// The problem's faults, and the links of which other jobs use a part.
std::vector<topology::TimedFault> all_faults(const PlaceProblem& problem) {
  std::vector<topology::TimedFault> faults = problem.faults;
  auto used = placement::links_used_by_others(problem);
  if (!used.empty())
    faults.push_back({.at = Time(), .faults = {.failed = {}, .degraded = std::move(used)}});
  return faults;
}

/// An engine and what it runs on.
class PlaceEngine {
 public:
  PlaceEngine(const PlaceProblem& problem, const EngineOptions& options)
      : analytic_(
            make_engine(problem.cluster, {.fidelity = "analytic", .routing = problem.routing})),
        executor_(make_engine(problem.cluster, options)),
        chooser_(problem.cluster, *analytic_, {}),
        engine_{
            .cluster = problem.cluster,
            .executor = *executor_,
            .schedule =
                [this](const std::shared_ptr<const collectives::Group>& group,
                       const collectives::Collective& collective) {
                  return chooser_.chosen_schedule(
                      {.group = group, .collective = collective, .protocol = {}, .channels = {}});
                },
            .odd_nodes = topology::nodes_with_faults(problem.cluster, options.faults)} {}
  PlaceEngine(const PlaceEngine&) = delete;
  PlaceEngine& operator=(const PlaceEngine&) = delete;
  [[nodiscard]] const placement::Engine& engine() const { return engine_; }

 private:
  std::unique_ptr<collectives::Executor> analytic_, executor_;
  collectives::nccl::Chooser chooser_;
  placement::Engine engine_;
};

}  // namespace

placement::EngineFactory engines_of(std::string fidelity) {
  return [fidelity = std::move(fidelity)](const PlaceProblem& problem) {
    const auto owner =
        std::make_shared<PlaceEngine>(problem, EngineOptions{.fidelity = fidelity,
                                                             .routing = problem.routing,
                                                             .faults = all_faults(problem)});
    return std::shared_ptr<const placement::Engine>(owner, &owner->engine());
  };
}

placement::EngineFactory engines_of_collectives_alone(std::string cluster) {
  return [cluster = std::move(cluster)](const PlaceProblem& problem) {
    const auto timing = std::make_shared<FittedPace>(
        problem.cluster, FittedTime::Options{.timings = topology::read_timings(cluster)}, Time());
    const auto owner = std::make_shared<PlaceEngine>(
        problem,
        EngineOptions{
            .fidelity = "analytic", .routing = problem.routing, .timing = timing, .loads = false});
    return std::shared_ptr<const placement::Engine>(owner, &owner->engine());
  };
}

collectives::WorkloadRunner workload_runner(const std::string& fidelity,
                                            const PlaceProblem& problem) {
  if (fidelity != "flow" && fidelity != "analytic")
    throw InputError("", "--fidelity", "whole steps run on flow or analytic",
                     "--fidelity flow, or leave out --whole-step");
  topology::Faults faults;
  for (const topology::TimedFault& fault : all_faults(problem)) {
    if (fault.at > Time())
      throw InputError("", "--fail", "whole steps take faults from the start only",
                       "leave out the time of the fault");
    topology::add_faults(faults, fault.faults);
  }
  const auto owner = std::make_shared<PlaceEngine>(
      problem, EngineOptions{.fidelity = "analytic", .routing = problem.routing});
  sim::WorkloadOptions options;
  options.schedule = owner->engine().schedule;
  options.shares_links = fidelity == "flow";
  options.routing = problem.routing;
  options.faults = std::move(faults);
  return [owner, options = std::move(options), &problem](const collectives::Workload& workload,
                                                         std::span<const Rank> gpus) {
    return sim::run_workload(problem.cluster, workload, gpus, options);
  };
}

}  // namespace railyard::apps
