#include "apps/place/place_engine.hpp"

#include <algorithm>
#include <memory>

#include "collectives/nccl/choice/chooser.hpp"
#include "collectives/nccl/timing/fitted_pace.hpp"
#include "core/diagnostic.hpp"
#include "placement/jobs/bandwidth_left.hpp"
#include "sim/engine.hpp"
#include "sim/workload/workload_run.hpp"
#include "topology/cluster/add_faults.hpp"
#include "topology/cluster/read_timings.hpp"

namespace railyard::apps {
namespace {

using collectives::nccl::FittedPace;
using collectives::nccl::FittedTime;
using placement::PlaceProblem;

/// The problem's faults, and the links that other jobs use in part.
std::vector<topology::TimedFault> all_faults(const PlaceProblem& problem) {
  std::vector<topology::TimedFault> faults = problem.faults;
  auto used = placement::links_used_by_others(problem);
  if (!used.empty())
    faults.push_back({.at = Time(), .faults = {.failed = {}, .degraded = std::move(used)}});
  return faults;
}

/// The reason why whole steps cannot run as workloads; empty if they can.
std::string why_no_steps(const sim::EngineOptions& options) {
  if (options.fidelity != "flow" && options.fidelity != "analytic")
    return "whole steps are simulated with --fidelity flow or analytic";
  const auto is_later = [](const topology::TimedFault& fault) { return fault.at > Time(); };
  if (std::ranges::any_of(options.faults, is_later))
    return "whole steps support only faults from the start";
  return {};
}

/// An engine with the data that it refers to.
class PlaceEngine {
 public:
  PlaceEngine(const topology::Cluster& cluster, const sim::EngineOptions& options)
      : cluster_(cluster),
        analytic_(sim::make_engine(cluster, {.fidelity = "analytic", .routing = options.routing})),
        executor_(sim::make_engine(cluster, options)),
        chooser_(cluster, *analytic_, {}),
        engine_{
            .cluster = cluster,
            .executor = *executor_,
            .schedule =
                [this](const std::shared_ptr<const collectives::Group>& group,
                       const collectives::Collective& collective) {
                  return chooser_.chosen_schedule(
                      {.group = group, .collective = collective, .protocol = {}, .channels = {}});
                },
            .odd_nodes = topology::nodes_with_faults(cluster, options.faults),
            .whole_steps = {},
            .why_no_steps = why_no_steps(options)} {
    if (!engine_.why_no_steps.empty()) return;
    steps_.schedule = engine_.schedule;
    steps_.shares_links = options.fidelity == "flow";
    steps_.routing = options.routing;
    steps_.announce = options.announce;
    for (const topology::TimedFault& fault : options.faults)
      topology::add_faults(steps_.faults, fault.faults);
    engine_.whole_steps = [this](const collectives::Workload& workload,
                                 std::span<const Rank> gpus) {
      const auto step =
          std::make_shared<const sim::PreparedWorkload>(cluster_, workload, gpus, steps_);
      return collectives::ReadyWorkload{
          .run = [step](std::uint64_t most_operations) { return step->run(most_operations); },
          .least = [step](std::uint64_t most_operations) { return step->least(most_operations); }};
    };
  }
  PlaceEngine(const PlaceEngine&) = delete;
  PlaceEngine& operator=(const PlaceEngine&) = delete;
  [[nodiscard]] const placement::Engine& engine() const { return engine_; }

 private:
  const topology::Cluster& cluster_;
  std::unique_ptr<collectives::Executor> analytic_, executor_;
  collectives::nccl::Chooser chooser_;
  sim::WorkloadOptions steps_;
  placement::Engine engine_;
};

}  // namespace

std::shared_ptr<const placement::Engine> engine_on(const topology::Cluster& cluster,
                                                   const std::string& fidelity) {
  const auto owner = std::make_shared<PlaceEngine>(
      cluster, sim::EngineOptions{.fidelity = fidelity, .routing = cluster.spec().fabric.routing});
  return {owner, &owner->engine()};
}

placement::EngineFactory engines_of(std::string fidelity, sim::Announce announce) {
  return [fidelity = std::move(fidelity),
          announce = std::move(announce)](const PlaceProblem& problem) {
    const auto owner = std::make_shared<PlaceEngine>(
        problem.cluster, sim::EngineOptions{.fidelity = fidelity,
                                            .routing = problem.routing,
                                            .faults = all_faults(problem),
                                            .announce = announce});
    return std::shared_ptr<const placement::Engine>(owner, &owner->engine());
  };
}

placement::EngineFactory engines_of_collectives_alone(std::string cluster) {
  return [cluster = std::move(cluster)](const PlaceProblem& problem) {
    const auto timing = std::make_shared<FittedPace>(
        problem.cluster, FittedTime::Options{.timings = topology::read_timings(cluster)},
        topology::LaunchCost{});
    const auto owner = std::make_shared<PlaceEngine>(
        problem.cluster,
        sim::EngineOptions{
            .fidelity = "analytic", .routing = problem.routing, .timing = timing, .loads = false});
    return std::shared_ptr<const placement::Engine>(owner, &owner->engine());
  };
}

collectives::WorkloadRunner workload_runner(const std::string& fidelity,
                                            const PlaceProblem& problem, sim::Announce announce) {
  const auto engine = engines_of(fidelity, std::move(announce))(problem);
  if (!engine->whole_steps)
    throw InputError("", "--whole-step", engine->why_no_steps,
                     "--fidelity flow and faults without a time, or leave out --whole-step");
  return [engine](const collectives::Workload& workload, std::span<const Rank> gpus,
                  std::uint64_t most_operations) {
    return engine->whole_steps(workload, gpus).run(most_operations);
  };
}

}  // namespace railyard::apps
