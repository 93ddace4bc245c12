#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/capacity/goodput/failure_model.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// Power of one item from a price list (network_power.hpp), in W.
struct ListedPower {
  std::string item{};  ///< "switch/quantum2"
  double watts = 0;
  std::optional<double> low{}, high{};  ///< range in the list
  std::string source{};
  bool operator==(const ListedPower&) const = default;
};

/// Switches of one tier of a fabric, and the cables below them.
struct TierParts {
  std::string name{};  ///< "leaf", "spine", "core"
  int switches = 0;
  int cables = 0;
  /// Power of one switch, and of one end of a cable; unset: not in the list.
  std::optional<ListedPower> switch_power{}, end_power{};
};

/// Numbers of a cluster's parts other than GPUs.
struct ClusterParts {
  int nodes = 0, gpus = 0, nics = 0;
  std::vector<TierParts> tiers{};  ///< from the leaves up; tiers without switches are omitted
  /// GPUs that are lost if a node fails, whether or not nodes share NVLink.
  [[nodiscard]] int gpus_per_node() const { return nodes > 0 ? gpus / nodes : 1; }
  [[nodiscard]] int switches() const;
  [[nodiscard]] int cables() const;
};

/// Counts devices, and cables outside nodes (a cable is two links).
[[nodiscard]] ClusterParts cluster_parts(const topology::Cluster& cluster);

/// Components of a job on `gpus` of the cluster's GPUs: switches and cables in proportion.
[[nodiscard]] ComponentCounts component_counts(const ClusterParts& parts, int gpus);

}  // namespace railyard::placement
