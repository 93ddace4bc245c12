#pragma once

#include <string>

#include "apps/regress/suite.hpp"

namespace railyard::apps {

/// Reads a suite: a path, or a name in configs/suites. Throws InputError with every problem.
[[nodiscard]] Suite read_suite(const std::string& reference);

}  // namespace railyard::apps
