#pragma once

#include <string>
#include <string_view>

#include "collectives/workload/workload.hpp"

namespace railyard::collectives {

/// Railyard's own form of a workload: JSON with times and bytes as texts with units
/// (docs/models/workload.md; schema "workload"), repeated operations once (repeats_of,
/// leave_out_likes). What is read back is the same workload.
[[nodiscard]] std::string write_workload(const Workload& workload);
/// Throws InputError with all that is wrong in it, `file` named; check_workload() is left to the
/// caller.
[[nodiscard]] Workload read_workload(std::string_view text, const std::string& file);

}  // namespace railyard::collectives
