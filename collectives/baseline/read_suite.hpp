#pragma once

#include <string>

#include "collectives/baseline/suite.hpp"

namespace railyard::collectives {

/// Reads a suite: a path, or a name in configs/suites. Throws InputError with every problem.
[[nodiscard]] Suite read_suite(const std::string& reference);

}  // namespace railyard::collectives
