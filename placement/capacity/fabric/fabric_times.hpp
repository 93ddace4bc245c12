#pragma once

#include <optional>
#include <string>

#include "placement/jobs/node_choice.hpp"

namespace railyard::placement {

/// The step of a job after a failure in the fabric.
struct FailedStep {
  std::string device{};        ///< name of the failed device; "": the fabric has no such part
  std::optional<Time> step{};  ///< unset if the job stops, or could not be simulated
  /// Nodes with a NIC that reaches nothing. NCCL stops, and the job restarts without these nodes.
  int nodes_cut_off = 0;
};

/// Times of a job on a fabric.
struct FabricTimes {
  std::optional<Time> all_reduce{};  ///< all_reduce of `all_reduce_bytes` over all GPUs
  std::optional<Time> step{};
  /// Exposed communication of the step (StepCost::exposed).
  std::optional<Time> exposed{};
  FailedStep spine{}, leaf{}, cable{};  ///< failure of the first device of each kind; cable:
                                        ///< between switches
  std::string why_not{};                ///< why the step could not be simulated
};

/// Inputs of time_on_fabric().
struct TimesRequest {
  const EngineFactory& engines;
  Bytes all_reduce_bytes{};
  const Strategy* strategy = nullptr;  ///< of the problem's job; nullptr: no step is timed
};

/// Times of the problem's job on its cluster: without faults, then with the first spine, the first
/// leaf and the first cable between switches failed (one-tier fabrics: the first NIC cable). Ranks
/// follow the order of nodes. Changes only problem.faults, and restores them.
[[nodiscard]] FabricTimes time_on_fabric(PlaceProblem& problem, const TimesRequest& request);

}  // namespace railyard::placement
