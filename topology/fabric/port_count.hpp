#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace railyard::topology {

/// The port counts of the switch with the most ports in a tier.
struct TierPorts {
  DeviceKind tier{};
  std::size_t switches = 0;
  std::optional<SwitchModel> model{};  ///< as named in the cluster file
  int down = 0, up = 0;
  Bandwidth down_rate{}, up_rate{};  ///< of the fastest port; 0 without ports
  /// Downlink ports and uplink ports in use, one entry per direction and speed.
  std::vector<UsedPorts> used{};
  /// The ports of a switch model at the downlink rate: those in use, and those that could still be
  /// used (negative: that many ports are missing). share_of() returns nothing if a port in use is
  /// faster than all ports of the model.
  struct Share {
    int used = 0, free = 0;
  };
  [[nodiscard]] std::optional<Share> share_of(const SwitchModel& switch_model) const;
};

/// One entry per tier that exists, leaves first.
[[nodiscard]] std::vector<TierPorts> count_ports(const Cluster& cluster);

/// Why a tier cannot be built, or would waste switches.
enum class PortProblem {
  beyond_radix,  ///< more ports than the switch has, or faster ports
  odd_rate,      ///< uplinks of a rate that no port supports
  idle_ports     ///< many switches that each use only a few ports
};

/// A problem of a tier. For beyond_radix and odd_rate the message also suggests the closest fabric
/// that can be built; for idle_ports, the number of switches that would suffice.
struct PortFinding {
  PortProblem problem{};
  DeviceKind tier{};
  std::string message;
};

/// Checks the ports of every tier against its switch model: the one named in the cluster file, or
/// else the largest shipped fixed switch of the transport (configs/switches). Explicit fabrics are
/// only checked against named switch models. A tier above the leaves has idle_ports if it has at
/// least four switches that use fewer than four ports each, or (of a named model) less than a
/// sixteenth of their ports.
[[nodiscard]] std::vector<PortFinding> check_ports(const Cluster& cluster);

}  // namespace railyard::topology
