#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "sim/nics_together.hpp"
#include "sim/packet/packet_options.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/routing/router.hpp"

namespace railyard::sim::packet {

/// The ends of the queue pairs of a transfer. Paths also depend on `label`.
struct PathEnds {
  DeviceId source, relay, destination;
  std::uint32_t label;
  int source_nic, destination_nic;
  friend bool operator==(const PathEnds&, const PathEnds&) = default;
};
[[nodiscard]] PathEnds ends_of(const topology::Cluster& cluster,
                               const collectives::Schedule& schedule,
                               const collectives::Transfer& transfer, std::uint32_t label);

/// The router of a packet simulation.
[[nodiscard]] topology::Router packet_router(const topology::Cluster& cluster,
                                             const PacketOptions& options,
                                             const topology::Faults& faults);

/// Finds the paths of queue pairs.
class PairPaths {
 public:
  /// The cluster and the options must outlive it.
  PairPaths(const topology::Cluster& cluster, const PacketOptions& options)
      : nics_(cluster), nic_(options.parameters.nic) {}

  /// The paths of all queue pairs between two ends. The queue pairs use at least `least` pairs of
  /// NICs.
  [[nodiscard]] std::vector<std::vector<LinkId>> find(topology::Router& router,
                                                      const PathEnds& ends,
                                                      std::size_t least) const;
  /// The number of paths of each queue pair.
  [[nodiscard]] std::size_t per_pair(const topology::Router& router) const;

 private:
  NicsTogether nics_;
  const NicParameters& nic_;
};

}  // namespace railyard::sim::packet
