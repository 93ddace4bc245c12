#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"

namespace railyard::sim {

/// What a link carries when nothing is broken, B/s: its bandwidth, of ports and links between
/// switches the part `network_share` that software gets out of them.
[[nodiscard]] double link_capacity(const topology::Cluster& cluster, LinkId link,
                                   double network_share = 1);

/// B/s by link: that, times the factor of a degradation, 0 where failed.
[[nodiscard]] std::vector<double> link_capacities(const topology::Cluster& cluster,
                                                  const topology::Faults& faults,
                                                  double network_share = 1);

/// What a link carried, with the time that it takes at the link's nominal bandwidth.
[[nodiscard]] collectives::LinkLoad link_load(const topology::Cluster& cluster, LinkId link,
                                              double bytes);

/// Tells the connections of tasks and channels apart in hashes: task in the upper 16 bits, so that
/// jobs have queue pairs of their own.
[[nodiscard]] constexpr std::uint32_t connection_label(std::size_t task, std::size_t channel) {
  return static_cast<std::uint32_t>(task << 16 | (channel & 0xffff));
}

}  // namespace railyard::sim
