#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "collectives/schedule/collective.hpp"
#include "collectives/schedule/group.hpp"
#include "collectives/schedule/schedule.hpp"
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

/// One way to do some collectives.
struct Algorithm {
  std::string_view name;     ///< "ring", "tree", "nvls", "nvls_tree", "collnet_direct", ...
  std::string_view summary;  ///< one line for --help and docs
  bool (*supports)(Kind kind);
  /// Empty if the request can be served, else why not, with what would make it possible.
  std::string (*why_not)(const Request& request);
  /// Requires why_not(request).empty().
  Schedule (*build)(const Request& request);
};

/// Every algorithm, in order of preference on ties.
[[nodiscard]] std::span<const Algorithm> algorithms();
/// nullptr if there is none of that name.
[[nodiscard]] const Algorithm* find_algorithm(std::string_view name);
/// The named algorithm's schedule. Throws InputError: unknown name (with did you mean), wrong kind
/// (with those that do it), or why_not.
[[nodiscard]] Schedule build_schedule(std::string_view algorithm, const Request& request);

}  // namespace railyard::collectives
