#pragma once

#include <vector>

#include "core/id.hpp"
#include "core/units.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"

namespace railyard::sim::packet {

/// A NIC pauses the switch before `link` without a break, as one with a fault does (Guo et al.,
/// "RDMA over commodity Ethernet at scale", SIGCOMM 2016, section 4.3).
struct PauseStorm {
  LinkId link;
  Time from, until;  ///< of the effect at the switch
};

/// The storms of NICs: of each link among the failed ones of `asked` that leads from a switch of
/// the fabric to a NIC. Throws InputError without such a link, and without an end.
[[nodiscard]] std::vector<PauseStorm> pause_storms(const topology::Cluster& cluster,
                                                   const topology::TimedFault& asked);

}  // namespace railyard::sim::packet
