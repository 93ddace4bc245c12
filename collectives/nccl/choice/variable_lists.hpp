#pragma once

#include <string>
#include <string_view>

#include "collectives/nccl/tuning/tuning_settings.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives::nccl {

/// Reads NCCL_ALGO: "list[;function:list...]", where ^ before a list inverts it and a function's
/// own list takes the place of the first one's (NCCL 2.30 src/graph/tuning.cc, parseList). Adds to
/// `problems` what NCCL would refuse, at `pointer`.
void read_algorithm_list(std::string_view text, const std::string& pointer, Diagnostics& problems,
                         TuningSettings& settings);

/// Reads NCCL_PROTO likewise. LL128 by name is on even where NCCL holds it unsafe; inverted lists
/// leave it on as well.
void read_protocol_list(std::string_view text, const std::string& pointer, Diagnostics& problems,
                        TuningSettings& settings);

}  // namespace railyard::collectives::nccl
