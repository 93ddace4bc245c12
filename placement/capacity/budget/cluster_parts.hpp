#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/capacity/goodput/failure_model.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// Power of one piece by a price list (network_power.hpp).
struct ListedPower {
  std::string item{};  ///< "switch/quantum2"
  double watts = 0;
  std::optional<double> low{}, high{};  ///< the list's range
  std::string source{};
  bool operator==(const ListedPower&) const = default;
};

/// Switches of a tier of a fabric, and the cables from it down.
struct TierParts {
  std::string name{};  ///< "leaf", "spine", "core"
  int switches = 0;
  int cables = 0;
  /// Of a switch and of an end of a cable; not set: the list does not have it.
  std::optional<ListedPower> switch_power{}, end_power{};
};

/// What a cluster is made of beside its GPUs.
struct ClusterParts {
  int nodes = 0, gpus = 0, nics = 0;
  std::vector<TierParts> tiers{};  ///< from the leaves up; empty ones are left out
  /// GPUs that a failure of a node takes, whatever shares its NVLink.
  [[nodiscard]] int gpus_per_node() const { return nodes > 0 ? gpus / nodes : 1; }
  [[nodiscard]] int switches() const;
  [[nodiscard]] int cables() const;
};

/// Counts devices and cables (two links) outside nodes.
[[nodiscard]] ClusterParts cluster_parts(const topology::Cluster& cluster);

/// The components of a job on `gpus` of its GPUs: switches and cables in proportion.
[[nodiscard]] ComponentCounts component_counts(const ClusterParts& parts, int gpus);

}  // namespace railyard::placement
