#pragma once

#include <span>
#include <string_view>

#include "collectives/algorithms/algorithm_list.hpp"

namespace railyard::collectives {

/// Every algorithm, in order of preference on ties.
[[nodiscard]] std::span<const Algorithm> algorithms();
/// nullptr if there is none of that name.
[[nodiscard]] const Algorithm* find_algorithm(std::string_view name);
/// The named algorithm's schedule. Throws InputError: unknown name (with did you mean), wrong kind
/// (with those that do it), or why_not.
[[nodiscard]] Schedule build_schedule(std::string_view algorithm, const Request& request);

}  // namespace railyard::collectives
