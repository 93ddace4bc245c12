#pragma once

#include <optional>
#include <string>

namespace railyard::core {

/// The result of parsing a text: either `value` or `error` is set.
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string error;
};

}  // namespace railyard::core
