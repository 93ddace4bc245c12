#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace railyard::collectives {

/// Ranks as the command line writes them: "0-7,16-23", every eighth as "0-56:8"; "..." behind the
/// eighth part.
[[nodiscard]] std::string rank_text(std::span<const std::uint32_t> ranks);

}  // namespace railyard::collectives
