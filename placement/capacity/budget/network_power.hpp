#pragma once

#include "placement/capacity/budget/cluster_parts.hpp"
#include "placement/capacity/price_list.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// Sets the power of each tier's switches and cable ends from a price list, as `plan fabric` counts
/// it: the item "switch/NAME" of the switch that the cluster's file names for the tier, and the
/// multimode transceiver "optic/400G_sr" of the rate of the tier's cables. What the file does not
/// name or the list does not have stays as it is.
void add_network_power(ClusterParts& parts, const topology::Cluster& cluster,
                       const PriceList& prices);

}  // namespace railyard::placement
