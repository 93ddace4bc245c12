#include "sim/wire.hpp"

#include "collectives/schedule/line_format.hpp"
#include "topology/cluster/payload.hpp"

namespace railyard::sim {

WireFactors wire_factors(const topology::Cluster& cluster, collectives::Protocol protocol) {
  const double factor = collectives::bytes_per_data_byte(protocol);
  return {.node = factor, .network = factor / topology::payload_fraction(cluster.spec().fabric)};
}

}  // namespace railyard::sim
