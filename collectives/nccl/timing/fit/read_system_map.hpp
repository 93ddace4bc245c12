#pragma once

#include <string>

#include "collectives/nccl/timing/fit/system_map.hpp"

namespace railyard::collectives::nccl {

/// Reads a map: a path, or a name in configs/validation. Throws InputError with every problem.
[[nodiscard]] SystemMap read_system_map(const std::string& reference);

}  // namespace railyard::collectives::nccl
