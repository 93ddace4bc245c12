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
  std::optional<int> channels;       ///< not set: as the algorithm or NCCL sets them
};

/// An algorithm with a protocol, and its cost by the model that chooses: NCCL's tuning model where
/// NCCL chooses by time, the analytic engine otherwise.
struct AlgorithmChoice {
  std::string algorithm;
  Protocol protocol{};
  int channels = 0;  ///< that NCCL would launch, or of the schedule
  Bytes bytes;
  double latency_us = 0;      ///< the part of the time that does not depend on the message size
  double bandwidth_GBps = 0;  ///< message bytes per time beyond the latency; 0: cannot run
  double time_us = 0;
  std::string bound_by;
  std::string why_not;      ///< why NCCL or the cluster rules it out; empty: allowed
  std::string no_schedule;  ///< allowed by NCCL, but no schedule here runs it: why
  std::string note{};       ///< what the executor says of its time, where that is an estimate
  bool chosen = false;
};

/// The cluster and the NCCL settings that a choice is made under. Both must outlive it.
struct ChoiceSetting {
  const topology::Cluster& cluster;
  const NcclEnvironment& environment;
};

}  // namespace railyard::collectives::nccl
