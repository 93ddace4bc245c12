#pragma once

#include <string>
#include <string_view>

#include "collectives/workload/workload.hpp"

namespace railyard::collectives {

/// Writes Railyard's JSON form of a workload, with units (docs/models/workload.md; schema
/// "workload"). Repeated operations are written once (repeats_of, compress_likes). read_workload()
/// restores the same workload.
[[nodiscard]] std::string write_workload(const Workload& workload);
/// Throws InputError with `file` and all problems. The caller runs check_workload().
[[nodiscard]] Workload read_workload(std::string_view text, const std::string& file);

}  // namespace railyard::collectives
