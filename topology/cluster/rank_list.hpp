#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/parsed.hpp"
#include "core/id.hpp"

namespace railyard::topology {

/// Parses a rank list of the command line and keeps its order: "0-7,16-23", "0-63:8" (every eighth
/// rank), "3". An error if a rank is not below `count`. Repeated ranks are not detected here; the
/// constructor of Group rejects them.
[[nodiscard]] core::Parsed<std::vector<Rank>> parse_ranks(std::string_view text, std::size_t count);

/// The inverse of parse_ranks(): runs of consecutive ranks are written as ranges, "8-15,0-7".
[[nodiscard]] std::string rank_list_text(std::span<const Rank> ranks);

}  // namespace railyard::topology
