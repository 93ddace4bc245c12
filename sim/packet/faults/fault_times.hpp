#pragma once

#include <span>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"

namespace railyard::sim::packet {

/// From time `at` on a link has the rate `rate`; 0: it has failed.
struct RateChange {
  LinkId link;
  Time at;
  Bandwidth rate;
  friend bool operator==(const RateChange&, const RateChange&) = default;
};

/// The effect of faults during the run on link rates, ordered by link and time. If several faults
/// of a link overlap, it has failed if one of them is a failure; otherwise the smallest of their
/// rates applies. `from_start`: faults that hold when none of `later` does.
[[nodiscard]] std::vector<RateChange> rate_changes(const topology::Cluster& cluster,
                                                   const topology::Faults& from_start,
                                                   std::span<const topology::TimedFault> later);

/// From time `at` on routing takes `faults` into account.
struct RoutingChange {
  Time at;
  topology::Faults faults;
};

/// The times at which routing changes. It avoids a link that has been down for `convergence`, and
/// uses it again `convergence` after its return. It does not avoid a NIC port that will return,
/// because its queue pairs have no other port.
[[nodiscard]] std::vector<RoutingChange> routing_changes(
    const topology::Cluster& cluster, const topology::Faults& from_start,
    std::span<const topology::TimedFault> later, Time convergence);

/// A fraction of a bandwidth, rounded down to whole bits per second.
[[nodiscard]] Bandwidth part_of(Bandwidth rate, double factor);

}  // namespace railyard::sim::packet
