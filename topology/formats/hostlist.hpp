#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/parsed.hpp"

namespace railyard::topology {

/// Whether a name of a host or switch can stand in hostlists and in Slurm's files, and come back as
/// it was written: not empty, no blank, no control character, none of []=#,"'.
[[nodiscard]] bool is_host_name(std::string_view name);

/// The names that a Slurm hostlist stands for, in its order:
/// "tux[0-2,7],login", zero padding as in "n[08-11]", several brackets as in
/// "r[0-1]n[1-2]" (the last one counts fastest). An error where a bracket or
/// range is malformed, or where there are more than `limit` names.
[[nodiscard]] core::Parsed<std::vector<std::string>> parse_hostlist(std::string_view text,
                                                                    std::size_t limit = 1'000'000);

/// The shortest hostlist of names in their order: runs of numbers with one
/// prefix and padding become a range, ranges of one prefix share a bracket.
/// parse_hostlist gives the names back.
[[nodiscard]] std::string format_hostlist(std::span<const std::string> names);

}  // namespace railyard::topology
