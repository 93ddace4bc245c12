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

/// The number of links on a shortest path from a device to every device, by device id; -1 if there
/// is no path. Failed links are not used. Any device may be an intermediate hop here; actual
/// routing allows fewer paths (docs/models/routing.md).
[[nodiscard]] std::vector<int> hops_from(const Cluster& cluster, DeviceId from,
                                         const Faults& faults = {});

/// The links of a shortest path, in order; nothing if there is no path.
[[nodiscard]] std::optional<std::vector<LinkId>> shortest_path(const Cluster& cluster,
                                                               DeviceId from, DeviceId to,
                                                               const Faults& faults = {});

/// The connected component of each device over links that have not failed, by device id. Components
/// are numbered from 0.
[[nodiscard]] std::vector<std::uint32_t> components(const Cluster& cluster,
                                                    const Faults& faults = {});
/// Whether every device can reach every other device.
[[nodiscard]] bool is_connected(const Cluster& cluster, const Faults& faults = {});

/// A maximum flow and a minimum cut: every path from the sources to the sinks crosses one of the
/// links, and the bandwidths of the links add up to the flow (max-flow min-cut theorem, Ford and
/// Fulkerson 1956).
struct Cut {
  Bandwidth bandwidth;
  std::vector<LinkId> links;  ///< of the cut, ordered by id
};

/// The maximum flow from the sources to the sinks, which must be disjoint sets. Any device may
/// forward. Degraded links carry their fraction of the bandwidth, failed links nothing. Uses
/// push-relabel (Boost.Graph; Goldberg and Tarjan 1988), O(devices^3), which is practical up to
/// about 100,000 links.
[[nodiscard]] Cut max_flow(const Cluster& cluster, std::span<const DeviceId> sources,
                           std::span<const DeviceId> sinks, const Faults& faults = {});

}  // namespace railyard::topology
