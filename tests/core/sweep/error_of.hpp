#pragma once

#include <functional>
#include <string>

#include "core/diagnostic.hpp"

namespace railyard::core::sweep::testing {

/// The text of the InputError that a call throws, or "".
inline std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace railyard::core::sweep::testing
