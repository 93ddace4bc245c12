#pragma once

#include <memory>
#include <string>

#include "collectives/workload/workload_result.hpp"
#include "placement/jobs/node_choice.hpp"
#include "sim/run_watch.hpp"

namespace railyard::apps {

/// Makes engines of a fidelity, with the schedules that NCCL would choose, the problem's faults and
/// the bandwidth that other jobs leave. Flow and analytic engines run whole steps as workloads,
/// unless a fault occurs after the start. `announce` is called before runs that need much memory.
/// The factory throws InputError for an unknown fidelity.
[[nodiscard]] placement::EngineFactory engines_of(std::string fidelity,
                                                  sim::Announce announce = {});

/// An engine of a fidelity on a whole cluster, with the routing in its file and the schedules that
/// NCCL would choose. The cluster must outlive it.
[[nodiscard]] std::shared_ptr<const placement::Engine> engine_on(const topology::Cluster& cluster,
                                                                 const std::string& fidelity);

/// Engines that predict the time of collectives alone, as `railyard sim --fidelity analytic` does
/// without launch overhead, by the model fitted for `cluster` (a name in configs/clusters or a
/// path).
[[nodiscard]] placement::EngineFactory engines_of_collectives_alone(std::string cluster);

/// Runs whole steps of a problem (docs/models/workload.md) at fidelity flow or analytic, with the
/// problem's faults and the bandwidth that other jobs leave. Throws InputError for another
/// fidelity, and for faults that occur after the start. The problem must outlive it.
[[nodiscard]] collectives::WorkloadRunner workload_runner(const std::string& fidelity,
                                                          const placement::PlaceProblem& problem,
                                                          sim::Announce announce = {});

/// Default numbers of strategies to simulate and to print.
inline constexpr int kVerified = 20, kTop = 5;

}  // namespace railyard::apps
