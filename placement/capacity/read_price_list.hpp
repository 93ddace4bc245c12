#pragma once

#include <string>

#include "placement/capacity/price_list.hpp"

namespace railyard::placement {

/// Reads a price list: a name in configs/prices, or a path. Throws InputError that lists every
/// problem.
[[nodiscard]] PriceList read_price_list(const std::string& reference);

}  // namespace railyard::placement
