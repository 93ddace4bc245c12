#pragma once

#include <vector>

#include "core/id.hpp"
#include "core/units.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"

namespace railyard::sim::packet {

/// A NIC that pauses the switch before `link` without interruption, as a faulty NIC can do (Guo et
/// al., "RDMA over commodity Ethernet at scale", SIGCOMM 2016, section 4.3).
struct PauseStorm {
  LinkId link;
  Time from, until;  ///< time of the effect at the switch
};

/// One storm for each failed link of `asked` that leads from a fabric switch to a NIC. Throws
/// InputError if there is no such link, or if the fault has no end.
[[nodiscard]] std::vector<PauseStorm> pause_storms(const topology::Cluster& cluster,
                                                   const topology::TimedFault& asked);

}  // namespace railyard::sim::packet
