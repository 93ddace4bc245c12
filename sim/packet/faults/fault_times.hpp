#pragma once

#include <span>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/cluster/faults.hpp"

namespace railyard::sim::packet {

/// A link has another rate from a time on; 0: it carries nothing.
struct RateChange {
  LinkId link;
  Time at;
  Bandwidth rate;
  friend bool operator==(const RateChange&, const RateChange&) = default;
};

/// What faults during the run do to the links, by link and time. Where several hold for a link, it
/// has failed if one is a failure, else the smallest of their rates. `from_start`: the rates of
/// links while no fault of `later` holds.
[[nodiscard]] std::vector<RateChange> rate_changes(const topology::Cluster& cluster,
                                                   const topology::Faults& from_start,
                                                   std::span<const topology::TimedFault> later);

/// Routing avoids other links from a time on.
struct RoutingChange {
  Time at;
  topology::Faults faults;
};

/// When routing changes: it avoids a link once the link has been down for `convergence`, and uses
/// it again `convergence` after its return. A port of a NIC that will return is not avoided: its
/// queue pairs have no other.
[[nodiscard]] std::vector<RoutingChange> routing_changes(
    const topology::Cluster& cluster, const topology::Faults& from_start,
    std::span<const topology::TimedFault> later, Time convergence);

/// A part of a bandwidth, rounded down to whole bits per second.
[[nodiscard]] Bandwidth part_of(Bandwidth rate, double factor);

}  // namespace railyard::sim::packet
