#pragma once

#include <span>
#include <string_view>

#include "collectives/algorithms/algorithm_list.hpp"

namespace railyard::collectives {

/// All algorithms, in the order of preference when times are equal.
[[nodiscard]] std::span<const Algorithm> algorithms();
/// The algorithm of this name; nullptr if there is none.
[[nodiscard]] const Algorithm* find_algorithm(std::string_view name);
/// Builds the schedule of the named algorithm. Throws InputError if the name is unknown (with a
/// "did you mean" hint), if the algorithm does not support the kind of collective (with those that
/// do), or with the reason that why_not() returns.
[[nodiscard]] Schedule build_schedule(std::string_view algorithm, const Request& request);

}  // namespace railyard::collectives
