#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/id.hpp"
#include "core/units.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"

namespace railyard::topology {

/// Fewest links from a device to every device over live links, by device; -1 where there is no way.
/// Every device forwards (routing is narrower: see docs/models/routing.md).
[[nodiscard]] std::vector<int> hops_from(const Cluster& cluster, DeviceId from,
                                         const Faults& faults = {});

/// The links of a way with the fewest, in order; nothing if there is no way.
[[nodiscard]] std::optional<std::vector<LinkId>> shortest_path(const Cluster& cluster,
                                                               DeviceId from, DeviceId to,
                                                               const Faults& faults = {});

/// Devices that reach each other over live links have the same number, 0 on, by device.
[[nodiscard]] std::vector<std::uint32_t> components(const Cluster& cluster,
                                                    const Faults& faults = {});
/// Whether every device reaches every other.
[[nodiscard]] bool is_connected(const Cluster& cluster, const Faults& faults = {});

/// A maximum flow and the minimum cut that proves it: every way from the sources to the sinks
/// crosses one of the links, and their bandwidths sum to the flow (max-flow min-cut theorem, Ford
/// and Fulkerson 1956).
struct Cut {
  Bandwidth bandwidth;
  std::vector<LinkId> links;  ///< by id
};

/// The most that can flow at once from the sources to the sinks (disjoint sets, every device
/// forwards; degraded links carry their part, failed ones nothing). By push-relabel
/// (Boost.Graph; Goldberg and Tarjan 1988), O(devices^3): for clusters up to some 100,000 links.
[[nodiscard]] Cut max_flow(const Cluster& cluster, std::span<const DeviceId> sources,
                           std::span<const DeviceId> sinks, const Faults& faults = {});

}  // namespace railyard::topology
