#pragma once

#include <string>

#include "core/config/parsed.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {

/// The parsed value of a flag. Throws InputError at the flag, with the error of the parser and
/// `hint`.
template <class T>
[[nodiscard]] T flag_value(const core::Parsed<T>& parsed, const std::string& flag,
                           const std::string& hint = {}) {
  if (!parsed.value) throw InputError("", flag, parsed.error, hint);
  return *parsed.value;
}

}  // namespace railyard::apps
