#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"

namespace railyard::sim {

/// Capacity in B/s of a link without faults: its bandwidth. For ports and links between switches,
/// multiplied by `network_share`, the share that software uses.
[[nodiscard]] double link_capacity(const topology::Cluster& cluster, LinkId link,
                                   double network_share = 1);

/// Capacity by link in B/s, times the factor of a degradation; 0 if failed.
[[nodiscard]] std::vector<double> link_capacities(const topology::Cluster& cluster,
                                                  const topology::Faults& faults,
                                                  double network_share = 1);

/// The bytes of a link, and the time that they take at `rate`.
[[nodiscard]] collectives::LinkLoad link_load(LinkId link, double bytes, Bandwidth rate);

/// The first link that carried more than its capacity between the first start and the last finish
/// of a run's tasks: its name, and the ratio; "" if there is none, as in every correct run.
[[nodiscard]] std::string overloaded_link(const topology::Cluster& cluster,
                                          const collectives::Run& run);
/// Throws std::logic_error if a run has such a link. Does nothing in release builds.
void check_link_loads(const topology::Cluster& cluster, const collectives::Run& run);

/// Distinguishes the connections of tasks and channels in hashes: the task is in the upper 16 bits,
/// so each job has queue pairs of its own.
[[nodiscard]] constexpr std::uint32_t connection_label(std::size_t task, std::size_t channel) {
  return static_cast<std::uint32_t>(task << 16 | (channel & 0xffff));
}

}  // namespace railyard::sim
