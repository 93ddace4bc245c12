#pragma once

#include <string>

#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// The dimensions whose collectives a strategy overlaps with computation: "tp dp pp"; "" for none.
[[nodiscard]] std::string overlap_text(const Strategy& s);

/// The settings beyond parallel dimensions, ZeRO stage, micro-batch, interleaving, recomputation,
/// sequence parallelism and overlap, where they are not the default: "etp=8 zero_bubble".
[[nodiscard]] std::string other_settings_text(const Strategy& s);

}  // namespace railyard::placement
