#pragma once

#include "core/units.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {

/// What a packet takes on the wire beside its payload: headers, checksums and, on Ethernet,
/// preamble and gap (docs/models/fabrics.md). FabricSpec::packet_overhead where that is set.
[[nodiscard]] Bytes packet_overhead(const FabricSpec& fabric);

/// The part of the bandwidth of port and fabric links that is payload, for full packets:
/// mtu / (mtu + overhead). Link::bandwidth is the rate of the wire.
[[nodiscard]] double payload_fraction(const FabricSpec& fabric);

}  // namespace railyard::topology
