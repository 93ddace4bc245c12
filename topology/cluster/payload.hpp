#pragma once

#include "core/units.hpp"
#include "topology/cluster/cluster_spec.hpp"

namespace railyard::topology {

/// Bytes that each packet occupies on the wire in addition to its payload: headers, checksums and,
/// on Ethernet, preamble and inter-packet gap (docs/models/fabrics.md). FabricSpec::packet_overhead
/// overrides the value of the transport.
[[nodiscard]] Bytes packet_overhead(const FabricSpec& fabric);

/// Payload as a fraction of the wire rate of port and fabric links, for full packets: mtu / (mtu +
/// overhead). Link::bandwidth is the wire rate.
[[nodiscard]] double payload_fraction(const FabricSpec& fabric);

}  // namespace railyard::topology
