#pragma once

#include <limits>
#include <vector>

#include "placement/capacity/goodput/failure_model.hpp"
#include "placement/capacity/goodput/failure_trace.hpp"
#include "placement/capacity/goodput/grey_process.hpp"

namespace railyard::placement {

/// Checkpoints of a run, in seconds.
struct CheckpointPlan {
  double interval = 0;  ///< training between two checkpoints; at least `write`
  double stall = 0;     ///< training stops during this time
  double write = 0;     ///< asynchronous: time from the stall until the checkpoint can be restored
};

/// Times of a recovery, in seconds.
struct Recovery {
  double detection = 0;  ///< from a failure until it is noticed
  double restart = 0;    ///< scheduling, loading and warm-up; failures can occur during it
};

/// What a job does if a node is missing and no spare is ready.
enum class NodeMissing {
  fastest,  ///< after each failure the faster of the other two
  wait,     ///< waits for the next repair
  shrink    ///< continues on fewer nodes
};

/// A training run on nodes that fail. It ends when its work is done, or at the horizon.
struct RunSetup {
  FailureModel failures{};
  const FailureTrace* trace = nullptr;  ///< if set, replayed instead of drawn failures
  std::vector<GreyProcess> grey{};
  ComponentCounts counts{};
  int nodes = 1, spares = 0;
  double work = std::numeric_limits<double>::infinity();  ///< seconds of training without failures
  double horizon = std::numeric_limits<double>::infinity();  ///< seconds
  CheckpointPlan checkpoint{};
  Recovery recovery{};
  /// Speeds with 1, 2, ... missing nodes / speed with all nodes. With more missing nodes, or at
  /// speed 0, the job waits for repairs. Empty: it always waits.
  std::vector<double> shrunk{};
  NodeMissing node_missing = NodeMissing::fastest;
};

}  // namespace railyard::placement
