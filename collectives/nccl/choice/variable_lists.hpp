#pragma once

#include <string>
#include <string_view>

#include "collectives/nccl/tuning/tuning_settings.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives::nccl {

/// Reads NCCL_ALGO: "list[;function:list...]". ^ before a list inverts it; the list of a function
/// replaces the first one (NCCL 2.30 src/graph/tuning.cc, parseList). Text that NCCL would reject
/// is added to `problems` at `pointer`.
void read_algorithm_list(std::string_view text, const std::string& pointer, Diagnostics& problems,
                         TuningSettings& settings);

/// Reads NCCL_PROTO likewise. LL128 in a list, or left in by an inverted list, is enabled even on
/// hardware where NCCL considers it unsafe.
void read_protocol_list(std::string_view text, const std::string& pointer, Diagnostics& problems,
                        TuningSettings& settings);

}  // namespace railyard::collectives::nccl
