#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/config/parsed.hpp"
#include "core/id.hpp"

namespace railyard::apps {

/// Ranks as the command line writes them, in the order written: "0-7,16-23", "0-63:8" (every
/// eighth), "3". Ranks must be below `count`; each may be named once (Group says so).
[[nodiscard]] core::Parsed<std::vector<Rank>> parse_ranks(std::string_view text, std::size_t count);

}  // namespace railyard::apps
