#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/nccl/choice/nccl_environment.hpp"

namespace railyard::collectives::nccl {

/// Reads environment variables ("NCCL_ALGO=Ring") for an NCCL version. Throws InputError with all
/// unknown names (with a suggestion), documented variables without an effect on the model, and
/// invalid values. Each problem refers to `source` and the variable: "--env NCCL_ALGO=Rign".
[[nodiscard]] NcclEnvironment read_nccl_environment(Version version,
                                                    std::span<const std::string> variables,
                                                    std::string_view source = "--env");

/// Names of the variables that have an effect, in alphabetical order.
[[nodiscard]] std::vector<std::string_view> modelled_nccl_variables();

}  // namespace railyard::collectives::nccl
