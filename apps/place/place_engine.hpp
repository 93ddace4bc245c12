#pragma once

#include <memory>
#include <string>

#include "collectives/workload/workload_result.hpp"
#include "placement/jobs/node_choice.hpp"
#include "sim/run_watch.hpp"

namespace railyard::apps {

/// Engines of a fidelity, with schedules as NCCL would choose them, the problem's faults and the
/// bandwidth that other jobs leave. Flow and analytic engines run whole steps as workloads, unless
/// a fault happens later than the start. `announce` is told of runs that take much memory. A call
/// throws InputError for an unknown fidelity.
[[nodiscard]] placement::EngineFactory engines_of(std::string fidelity,
                                                  sim::Announce announce = {});

/// An engine of a fidelity on a whole cluster with the routing of its file, and schedules as NCCL
/// would choose them. The cluster must outlive it.
[[nodiscard]] std::shared_ptr<const placement::Engine> engine_on(const topology::Cluster& cluster,
                                                                 const std::string& fidelity);

/// Engines that time collectives alone, as `railyard sim --fidelity analytic` does without launch
/// overhead: by the model fitted for `cluster`, a name in configs/clusters or a path.
[[nodiscard]] placement::EngineFactory engines_of_collectives_alone(std::string cluster);

/// Runs whole steps of a problem (docs/models/workload.md): fidelity flow or analytic, with the
/// problem's faults and the bandwidth that other jobs leave. Throws InputError for another
/// fidelity, and for faults that happen later. The problem must outlive it.
[[nodiscard]] collectives::WorkloadRunner workload_runner(const std::string& fidelity,
                                                          const placement::PlaceProblem& problem,
                                                          sim::Announce announce = {});

/// How many of a search's best are simulated, and printed, by default.
inline constexpr int kVerified = 20, kTop = 5;

}  // namespace railyard::apps
