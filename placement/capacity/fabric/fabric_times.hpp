#pragma once

#include <optional>
#include <string>

#include "placement/jobs/node_choice.hpp"

namespace railyard::placement {

/// A step while something is broken.
struct FailedStep {
  std::string device{};        ///< what failed; "": the fabric has no such part
  std::optional<Time> step{};  ///< nothing where the job stops, or could not be simulated
  /// Nodes with a NIC that reaches nothing: NCCL stops, and the job restarts without them.
  int nodes_cut_off = 0;
};

/// What a job takes on a fabric.
struct FabricTimes {
  std::optional<Time> all_reduce{};  ///< of `all_reduce_bytes` over all GPUs
  std::optional<Time> step{};
  /// Of the step: what is waited for collectives (StepCost::exposed).
  std::optional<Time> exposed{};
  FailedStep spine{}, leaf{}, cable{};  ///< the first of each; the cable is one between switches
  std::string why_not{};                ///< why the step could not be simulated
};

/// What is timed.
struct TimesRequest {
  const EngineFactory& engines;
  Bytes all_reduce_bytes{};
  const Strategy* strategy = nullptr;  ///< of the problem's job; nullptr: no step is timed
};

/// Times of the problem's job on its cluster: healthy, then with the first spine, leaf and cable
/// between switches (of fabrics of one tier: NIC cable) failed. Ranks follow the nodes in order.
/// Changes only problem.faults, which are as before at the end.
[[nodiscard]] FabricTimes time_on_fabric(PlaceProblem& problem, const TimesRequest& request);

}  // namespace railyard::placement
