#pragma once

#include "collectives/schedule/collective.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/device.hpp"

namespace railyard::sim {

/// Bytes on the wire per byte of payload. NCCL's protocol applies to all links (LL sends 4 bytes of
/// flags per 4 bytes of data, LL128 8 bytes of flags in 128 bytes). Packet headers of the transport
/// apply to links of the network.
struct WireFactors {
  double node = 1.0;     ///< links inside a node
  double network = 1.0;  ///< NIC ports and links between switches

  [[nodiscard]] double of(topology::LinkKind kind) const {
    return kind == topology::LinkKind::port || kind == topology::LinkKind::fabric ? network : node;
  }
};

[[nodiscard]] WireFactors wire_factors(const topology::Cluster& cluster,
                                       collectives::Protocol protocol);

}  // namespace railyard::sim
