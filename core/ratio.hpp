#pragma once

#include <string>

#include "core/config/parsed.hpp"

namespace railyard::core {

/// Parses a ratio above 0, for example an oversubscription (downlink capacity / uplink capacity):
/// "2", "1.5" or "3:2".
[[nodiscard]] Parsed<double> parse_ratio(const std::string& text);

}  // namespace railyard::core
