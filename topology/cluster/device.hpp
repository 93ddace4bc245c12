#pragma once

#include <cstdint>
#include <string_view>

#include "core/id.hpp"
#include "core/units.hpp"

namespace railyard::topology {

/// What a vertex of the cluster graph is. leaf, spine and core are fabric switches of tier 1, 2, 3.
enum class DeviceKind : std::uint8_t { gpu, nvswitch, pcie_switch, cpu, nic, leaf, spine, core };

/// What a directed link of the cluster graph is. `socket` joins two CPUs (UPI, xGMI, C2C between
/// Graces), `c2c` a CPU and its GPU, `port` a NIC and its fabric switch, `fabric` two switches.
enum class LinkKind : std::uint8_t { nvlink, c2c, pcie, socket, port, fabric };

[[nodiscard]] std::string_view to_text(DeviceKind kind);
[[nodiscard]] std::string_view to_text(LinkKind kind);

[[nodiscard]] constexpr bool is_fabric_switch(DeviceKind kind) { return kind >= DeviceKind::leaf; }
/// 1 for leaf, 2 for spine, 3 for core; 0 for what is inside a node.
[[nodiscard]] constexpr int tier(DeviceKind kind) {
  return is_fabric_switch(kind) ? static_cast<int>(kind) - static_cast<int>(DeviceKind::leaf) + 1
                                : 0;
}

/// A vertex of the cluster graph.
struct Device {
  DeviceKind kind{};
  std::uint8_t plane = 0;  ///< fabric switches: which of the disjoint planes (dual-plane fabrics)
  NodeId node{};           ///< none() for fabric switches
  std::uint32_t index =
      0;                  ///< number among its kind in its node, or (switches) in its pod and plane
  std::uint32_t pod = 0;  ///< fabric switches: the pod; 0 for cores
};

/// A directed link; both directions of a cable are two links that name each other.
struct Link {
  DeviceId from;
  DeviceId to;
  Bandwidth bandwidth;  ///< as NCCL counts it; of ports and links between switches their rate
  Time latency;         ///< propagation and forwarding, without serialisation
  LinkKind kind{};
  LinkId reverse;
  /// What it carries at the very most: inside nodes more than NCCL's count (docs/models/node.md).
  Bandwidth line_rate{};
};

}  // namespace railyard::topology
