#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
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

/// What a link carried, with the time that this takes at `rate`.
[[nodiscard]] collectives::LinkLoad link_load(LinkId link, double bytes, Bandwidth rate);

/// The first link that carried more than it can in the time from the first start to the last finish
/// of a run's tasks: its name, and how often over; "" where there is none. No run may have one.
[[nodiscard]] std::string overloaded_link(const topology::Cluster& cluster,
                                          const collectives::Run& run);
/// Throws std::logic_error where a run has one; does nothing in release builds.
void check_link_loads(const topology::Cluster& cluster, const collectives::Run& run);

/// Tells the connections of tasks and channels apart in hashes: task in the upper 16 bits, so that
/// jobs have queue pairs of their own.
[[nodiscard]] constexpr std::uint32_t connection_label(std::size_t task, std::size_t channel) {
  return static_cast<std::uint32_t>(task << 16 | (channel & 0xffff));
}

}  // namespace railyard::sim
