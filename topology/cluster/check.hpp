#pragma once

#include <string>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace railyard::topology {

/// The kinds of problems that `topo check` reports. See check() for what each means.
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

/// A property of a cluster that is most likely a mistake in its file, although the cluster can be
/// simulated.
struct Finding {
  FindingKind kind{};
  DeviceId device{};  ///< a device with the problem
  /// Text with the devices and rates concerned, and the number of equal cases.
  std::string message;
};

/// "unreachable", "asymmetric", ...
[[nodiscard]] std::string_view to_text(FindingKind kind);

/// Finds the following problems:
/// - unreachable: GPUs without any path from the first GPU (through GPUs, NVLink and the fabric)
/// - asymmetric: links whose two directions differ in bandwidth
/// - slow_pcie: NICs whose ports together exceed the line rate of their PCIe link
/// - mismatched_rail: NICs on the leaf of another rail. A leaf belongs to a rail if at least two
///   thirds of its NICs do
/// - dangling_switch: switches without any link, or without a link to a lower tier
/// - beyond_radix, odd_rate, idle_ports: tiers that their switches cannot build, or use badly
///   (topology/fabric/port_count.hpp)
/// Problems inside a node are reported once per node shape.
[[nodiscard]] std::vector<Finding> check(const Cluster& cluster);

}  // namespace railyard::topology
