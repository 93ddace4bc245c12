#pragma once

#include <optional>
#include <string_view>

#include "placement/capacity/budget/assumptions.hpp"
#include "placement/capacity/budget/cluster_parts.hpp"
#include "placement/capacity/price_list.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::placement {

/// Sets the power of each tier's switches and cable ends from a price list, with the items that
/// `plan fabric` uses: "switch/NAME" with the tier's switch in the cluster's file, and the
/// multimode transceiver "optic/400G_sr" for the rate of the tier's cables. Power stays unset if
/// the file or the list does not contain the item.
void add_network_power(ClusterParts& parts, const topology::Cluster& cluster,
                       const PriceList& prices);

/// Power of a switch or a cable end in W, at an end of its range: from the price list, or from the
/// assumption `key` ("switch_power", "optics_power") if the list does not contain the item or
/// --assume sets the key. An item without a range gets the relative range of the assumption.
[[nodiscard]] double network_watts(const std::optional<ListedPower>& listed, std::string_view key,
                                   const Assumptions& assumed, RangeEnd end);

}  // namespace railyard::placement
