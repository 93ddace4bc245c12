#pragma once

#include <span>
#include <string>
#include <vector>

#include "collectives/formats/traces/trace_import.hpp"

namespace railyard::collectives {

/// PyTorch profiles of ranks of one job as a workload. Kernels and copies take their recorded time,
/// the host its own; NCCL kernels become collectives of their group. A rank's operations begin
/// behind what kineto_order.hpp finds. All ranks begin at time 0. Throws InputError with file.
[[nodiscard]] ImportedWorkload workload_of_kineto(std::span<const std::string> files,
                                                  const TraceImport& import);

}  // namespace railyard::collectives
