#pragma once

#include <optional>
#include <string>

namespace railyard::core {

/// The value read from a text, or why it could not be read (one of the two is set).
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string error;
};

}  // namespace railyard::core
