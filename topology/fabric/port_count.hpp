#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace railyard::topology {

/// The ports of the fullest switch of a tier.
struct TierPorts {
  DeviceKind tier{};
  std::size_t switches = 0;
  std::optional<SwitchModel> model{};  ///< that the cluster file names
  int down = 0, up = 0;
  Bandwidth down_rate{}, up_rate{};  ///< of the fastest port; 0 where there is none
  /// Ports down and up, each kind of one rate.
  std::vector<UsedPorts> used{};
  /// Of `switch_model`, counted at the rate of the ports down: ports that are used, and more that
  /// could be (below 0: as many are missing). Nothing if a port is faster than the switch.
  struct Share {
    int used = 0, free = 0;
  };
  [[nodiscard]] std::optional<Share> share_of(const SwitchModel& switch_model) const;
};

/// By tier, leaves first.
[[nodiscard]] std::vector<TierPorts> count_ports(const Cluster& cluster);

/// Why a tier cannot be built, or would waste its switches.
enum class PortProblem {
  beyond_radix,  ///< more ports than the switch has, or faster ones
  odd_rate,      ///< uplinks of a rate that no port has
  idle_ports     ///< many switches of which each uses a few ports
};

/// A problem of a tier with the nearest fabric that can be built.
struct PortFinding {
  PortProblem problem{};
  DeviceKind tier{};
  std::string message;
};

/// Compares the ports of every tier with its switch: the one that the cluster file names, or else
/// the largest shipped fixed switch of the transport (configs/switches). Explicit fabrics are only
/// compared with switches that are named. idle_ports are tiers above the leaves of four switches or
/// more that use fewer than four ports or less than a sixteenth of them.
[[nodiscard]] std::vector<PortFinding> check_ports(const Cluster& cluster);

}  // namespace railyard::topology
