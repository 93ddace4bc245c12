#pragma once

#include <initializer_list>
#include <string>

#include "core/diagnostic.hpp"

namespace railyard::apps {

/// A flag, and whether the command line gives it.
struct GivenFlag {
  bool is_given = false;
  const char* flag = nullptr;
};

/// Adds the same problem for each flag that is given.
void refuse(std::initializer_list<GivenFlag> flags, const std::string& message,
            const std::string& hint, Diagnostics& problems);

}  // namespace railyard::apps
