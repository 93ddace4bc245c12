#include "sim/packet/packet_defaults.hpp"

namespace railyard::sim::packet {

std::optional<Transport> transport_of(topology::Transport fabric) {
  switch (fabric) {
    case topology::Transport::roce: return Transport::roce;
    case topology::Transport::infiniband: return Transport::ib;
    case topology::Transport::tcp: break;
  }
  return std::nullopt;
}

topology::RoutingOptions packet_routing(Transport transport, topology::RoutingOptions routing,
                                        bool is_asked) {
  if (!is_asked && (transport == Transport::uec || transport == Transport::ndp))
    routing.policy = topology::RoutingPolicy::spray;
  return routing;
}

}  // namespace railyard::sim::packet
