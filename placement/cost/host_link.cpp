#include "placement/cost/host_link.hpp"

#include <algorithm>

#include "topology/cluster/link_bandwidths.hpp"

namespace railyard::placement {
namespace {

using topology::PcieSpec;

int gpus_behind(const PcieSpec& device) {
  int gpus = device.kind == topology::PcieKind::gpu ? 1 : 0;
  for (const PcieSpec& child : device.children) gpus += gpus_behind(child);
  return gpus;
}

Bandwidth link_of(const PcieSpec& device) {
  return device.bandwidth ? *device.bandwidth
                          : topology::pcie_bandwidth(device.link_speed, device.link_width);
}

/// Smallest share of link bandwidth of any GPU at or behind `device`, at most `most`.
Bandwidth least_share(const PcieSpec& device, Bandwidth most) {
  const int gpus = gpus_behind(device);
  if (gpus == 0) return most;
  Bandwidth least = std::min(most, link_of(device) / gpus);
  for (const PcieSpec& child : device.children) least = std::min(least, least_share(child, most));
  return least;
}

}  // namespace

Bandwidth host_bandwidth(const topology::NodeSpec& node, Bandwidth alone) {
  Bandwidth least = alone;
  for (const topology::CpuSpec& cpu : node.cpus)
    for (const PcieSpec& device : cpu.pcie) least = std::min(least, least_share(device, alone));
  return least;
}

}  // namespace railyard::placement
