#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/parsed.hpp"

namespace railyard::topology {

/// Whether a host or switch name is unchanged when it is written to a hostlist or to Slurm's files
/// and read back: not empty, and without blanks, control characters or any of []=#,"'.
[[nodiscard]] bool is_host_name(std::string_view name);

/// The names in a Slurm hostlist, in its order. Examples: "tux[0-2,7],login"; "n[08-11]" keeps the
/// zero padding; in "r[0-1]n[1-2]" the last bracket changes fastest. Returns an error if a bracket
/// or range is malformed or there are more than `limit` names.
[[nodiscard]] core::Parsed<std::vector<std::string>> parse_hostlist(std::string_view text,
                                                                    std::size_t limit = 1'000'000);

/// The shortest hostlist that parse_hostlist() expands to these names in this order. Consecutive
/// numbers with the same prefix and padding become a range; ranges with the same prefix share a
/// bracket.
[[nodiscard]] std::string format_hostlist(std::span<const std::string> names);

}  // namespace railyard::topology
