#pragma once

#include <optional>

#include "sim/packet/parameters.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::sim::packet {

/// The transport of NICs on a fabric; nothing for TCP, which is not simulated.
[[nodiscard]] std::optional<Transport> transport_of(topology::Transport fabric);

/// The routing of a packet simulation: uec and ndp spray unless a policy `is_asked` for.
[[nodiscard]] topology::RoutingOptions packet_routing(Transport transport,
                                                      topology::RoutingOptions routing,
                                                      bool is_asked);

}  // namespace railyard::sim::packet
