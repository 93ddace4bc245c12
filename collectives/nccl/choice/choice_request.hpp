#pragma once

#include <memory>
#include <optional>
#include <string>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/nccl/choice/nccl_environment.hpp"
#include "collectives/schedule/collective.hpp"
#include "collectives/schedule/group.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives::nccl {

/// A collective to choose an algorithm for, and the limits on that choice.
struct ChoiceRequest {
  std::shared_ptr<const Group> group;
  Collective collective;
  std::string algorithm = "auto";    ///< or a name
  std::optional<Protocol> protocol;  ///< not set: any
  std::optional<int> channels;       ///< not set: the number of the algorithm or of NCCL
};

/// An algorithm with a protocol, and its cost in the model that makes the choice: NCCL's tuning
/// model for collectives that NCCL tunes, otherwise the analytic engine.
struct AlgorithmChoice {
  std::string algorithm;
  Protocol protocol{};
  int channels = 0;  ///< channels that NCCL launches, or those of the schedule
  Bytes bytes;
  double latency_us = 0;      ///< the part of the time that is independent of the size
  double bandwidth_GBps = 0;  ///< message bytes per time beyond the latency; 0: cannot run
  double time_us = 0;
  std::string bound_by;
  std::string why_not;      ///< reason why NCCL or the cluster excludes it; empty: allowed
  std::string no_schedule;  ///< reason why no schedule supports it, although NCCL allows it
  std::string note{};       ///< note of the executor on an estimated time
  bool chosen = false;
};

/// The cluster and the NCCL settings of a choice. Both must outlive it.
struct ChoiceSetting {
  const topology::Cluster& cluster;
  const NcclEnvironment& environment;
};

}  // namespace railyard::collectives::nccl
