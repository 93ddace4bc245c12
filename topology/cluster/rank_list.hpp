#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/parsed.hpp"
#include "core/id.hpp"

namespace railyard::topology {

/// Ranks as the command line writes them, in the order written: "0-7,16-23", "0-63:8" (every
/// eighth), "3". Ranks must be below `count`; each may be named once (Group says so).
[[nodiscard]] core::Parsed<std::vector<Rank>> parse_ranks(std::string_view text, std::size_t count);

/// The same text for ranks, with runs of neighbours folded: "8-15,0-7".
[[nodiscard]] std::string rank_list_text(std::span<const Rank> ranks);

}  // namespace railyard::topology
