#pragma once

#include <optional>
#include <string_view>

#include "placement/capacity/budget/assumptions.hpp"
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

/// The power of a switch or of an end of a cable, in watts, at an end of its range: that of the
/// price list, or of the assumption `key` ("switch_power", "optics_power") where the list does not
/// have the item or --assume sets the key. An item without a range has the relative range of the
/// assumption.
[[nodiscard]] double network_watts(const std::optional<ListedPower>& listed, std::string_view key,
                                   const Assumptions& assumed, RangeEnd end);

}  // namespace railyard::placement
