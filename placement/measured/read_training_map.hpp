#pragma once

#include <string>

#include "placement/measured/training_map.hpp"

namespace railyard::placement {

/// Reads a map: a path, or a name in configs/validation. Throws InputError that lists every
/// problem.
[[nodiscard]] TrainingMap read_training_map(const std::string& reference);

}  // namespace railyard::placement
