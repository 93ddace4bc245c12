#pragma once

#include <span>
#include <string>
#include <vector>

#include "collectives/formats/traces/trace_import.hpp"

namespace railyard::collectives {

/// Converts PyTorch profiles of ranks of one job into a workload. Kernels, copies and host work
/// keep their recorded times; NCCL kernels become collectives of their group. Dependencies are
/// those of kineto_order.hpp. All ranks begin at time 0. Throws InputError with the file.
[[nodiscard]] ImportedWorkload workload_of_kineto(std::span<const std::string> files,
                                                  const TraceImport& import);

}  // namespace railyard::collectives
