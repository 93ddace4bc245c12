#pragma once

#include <memory>
#include <optional>

#include "collectives/schedule/collective.hpp"
#include "collectives/schedule/group.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives {

struct ScheduleOptions {
  std::optional<int> channels{};  ///< not set: what the algorithm takes by itself
  Protocol protocol = Protocol::simple;
  std::optional<Bytes> chunk{};  ///< pipeline piece; not set: the algorithm's own
  /// NCCL_CROSS_NIC of rings: 0 enters and leaves a node by one NIC, 2 by two in pairs of channels;
  /// not set: as NCCL's search would (docs/models/collectives.md).
  std::optional<int> cross_nic{};
};

/// What a schedule is made for.
struct Request {
  const topology::Cluster& cluster;
  std::shared_ptr<const Group> group;
  Collective collective;
  ScheduleOptions options;
};

}  // namespace railyard::collectives
