#pragma once

#include <cstdint>
#include <string_view>

#include "core/id.hpp"
#include "core/units.hpp"

namespace railyard::topology {

/// The kind of a vertex of the cluster graph. leaf, spine and core are fabric switches of tier 1, 2
/// and 3.
enum class DeviceKind : std::uint8_t { gpu, nvswitch, pcie_switch, cpu, nic, leaf, spine, core };

/// The kind of a directed link. `socket` connects two CPUs (UPI, xGMI, or C2C between two Grace
/// CPUs), `c2c` a CPU and its GPU, `port` a NIC and its fabric switch, `fabric` two switches.
enum class LinkKind : std::uint8_t { nvlink, c2c, pcie, socket, port, fabric };

[[nodiscard]] std::string_view to_text(DeviceKind kind);
[[nodiscard]] std::string_view to_text(LinkKind kind);

[[nodiscard]] constexpr bool is_fabric_switch(DeviceKind kind) { return kind >= DeviceKind::leaf; }
/// The tier of a fabric switch: 1 for leaf, 2 for spine, 3 for core. 0 for devices inside a node.
[[nodiscard]] constexpr int tier(DeviceKind kind) {
  return is_fabric_switch(kind) ? static_cast<int>(kind) - static_cast<int>(DeviceKind::leaf) + 1
                                : 0;
}

/// A vertex of the cluster graph.
struct Device {
  DeviceKind kind{};
  std::uint8_t plane = 0;  ///< fabric switches: number of the disjoint plane (dual-plane fabrics)
  NodeId node{};           ///< none() for fabric switches
  std::uint32_t index =
      0;                  ///< number among its kind in its node, or (switches) in its pod and plane
  std::uint32_t pod = 0;  ///< fabric switches: the pod; 0 for cores
};

/// A directed link. A cable is two links, one per direction; each names the other as its `reverse`.
struct Link {
  DeviceId from;
  DeviceId to;
  /// Inside nodes as counted by NCCL; of ports and fabric links the line rate.
  Bandwidth bandwidth;
  Time latency;  ///< propagation and forwarding; excludes serialisation
  LinkKind kind{};
  LinkId reverse;
  /// The physical rate of the link. Inside nodes it is higher than NCCL's value in `bandwidth`
  /// (docs/models/node.md).
  Bandwidth line_rate{};
};

}  // namespace railyard::topology
