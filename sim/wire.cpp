#include "sim/wire.hpp"

#include "topology/payload.hpp"

namespace railyard::sim {

double protocol_factor(collectives::Protocol protocol) {
  switch (protocol) {
    case collectives::Protocol::ll: return 2.0;               // 4 B of data, 4 B of flag
    case collectives::Protocol::ll128: return 128.0 / 120.0;  // 120 B of data, 8 B of flag
    case collectives::Protocol::simple: break;
  }
  return 1.0;
}

WireFactors wire_factors(const topology::Cluster& cluster, collectives::Protocol protocol) {
  const double factor = protocol_factor(protocol);
  return {.node = factor, .network = factor / topology::payload_fraction(cluster.spec().fabric)};
}

}  // namespace railyard::sim
