#pragma once

#include <string>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace railyard::topology {

/// What `topo check` looks for.
enum class FindingKind {
  unreachable,
  asymmetric,
  slow_pcie,
  mismatched_rail,
  dangling_switch,
  beyond_radix,
  odd_rate,
  idle_ports
};

/// Something about a cluster that is most likely a mistake, though it can be simulated.
struct Finding {
  FindingKind kind{};
  DeviceId device{};    ///< where
  std::string message;  ///< names the devices and rates, and how many more are alike
};

/// "unreachable", "asymmetric", ...
[[nodiscard]] std::string_view to_text(FindingKind kind);

/// GPUs that the first GPU cannot reach (by any way through GPUs, NVLink and the fabric); links
/// whose reverse has another bandwidth; NICs faster than their PCIe link; NICs of one rail of a
/// unit on different leaves, where all others are on one; switches without a link, or without one
/// down; tiers that cannot be built of their switches (topology/fabric/port_count.hpp). Findings of
/// one kind that are alike (in every node of a shape) are one finding.
[[nodiscard]] std::vector<Finding> check(const Cluster& cluster);

}  // namespace railyard::topology
