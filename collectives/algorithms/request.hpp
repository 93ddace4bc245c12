#pragma once

#include <memory>
#include <optional>

#include "collectives/schedule/collective.hpp"
#include "collectives/schedule/group.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::collectives {

struct ScheduleOptions {
  std::optional<int> channels{};  ///< not set: the algorithm's own number
  Protocol protocol = Protocol::simple;
  std::optional<Bytes> chunk{};  ///< size of a pipelined piece; not set: the algorithm's own
  /// NCCL_CROSS_NIC for rings. 0: a ring enters and leaves a node by the same NIC. 2: by two NICs,
  /// in pairs of channels. Not set: as NCCL's search would choose (docs/models/collectives.md).
  std::optional<int> cross_nic{};
};

/// The collective, group and options for which a schedule is built.
struct Request {
  const topology::Cluster& cluster;
  std::shared_ptr<const Group> group;
  Collective collective;
  ScheduleOptions options;
};

}  // namespace railyard::collectives
