#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace railyard::collectives {

/// Ranks in the form of the command line: "0-7,16-23", every eighth as "0-56:8"; truncated with
/// "..." after eight parts.
[[nodiscard]] std::string rank_text(std::span<const std::uint32_t> ranks);

}  // namespace railyard::collectives
