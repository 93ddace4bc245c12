#pragma once

#include <span>
#include <string>

#include "collectives/formats/traces/trace_import.hpp"

namespace railyard::collectives {

/// Whether a file is Railyard's own JSON form. Throws InputError for a file of no known format.
[[nodiscard]] bool is_own_workload(const std::string& file);

/// Reads a workload from the files of one job: Railyard's JSON or GOAL (one file), PyTorch profiles
/// or Chakra traces (a file per rank, or a folder of them; also .gz). The format is detected from
/// the content. Throws InputError with file and location of all problems, including those of
/// check_workload().
[[nodiscard]] ImportedWorkload import_workload(std::span<const std::string> files,
                                               const TraceImport& import);

}  // namespace railyard::collectives
