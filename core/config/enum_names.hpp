#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/parsed.hpp"
#include "core/diagnostic.hpp"

namespace railyard::core {

/// The names that an enum's values have in configs, flags and tables. Specialise it with
///   static constexpr std::array<std::pair<E, std::string_view>, N> table{{{E::ring, "ring"},
///   ...}};
template <class E>
struct EnumNames;

template <class E>
concept NamedEnum = requires {
  EnumNames<E>::table.size();
};

/// All names, in the order of the table.
template <NamedEnum E>
[[nodiscard]] std::vector<std::string_view> enum_names() {
  std::vector<std::string_view> names;
  names.reserve(EnumNames<E>::table.size());
  for (const auto& entry : EnumNames<E>::table) names.push_back(entry.second);
  return names;
}

/// The name of a value, which must be in the table.
template <NamedEnum E>
[[nodiscard]] constexpr std::string_view enum_name(E value) {
  for (const auto& entry : EnumNames<E>::table) {
    if (entry.first == value) return entry.second;
  }
  assert(false && "an enum value without a name");
  return "?";
}

/// The error message for a text that is not in `names`: "'x' is none of a, b, c (did you mean
/// 'a'?)".
[[nodiscard]] std::string unknown_name(std::string_view text,
                                       const std::vector<std::string_view>& names);

/// Converts a name to its enum value. The error lists all names and suggests the most similar one.
template <NamedEnum E>
[[nodiscard]] Parsed<E> parse_enum(std::string_view text) {
  for (const auto& entry : EnumNames<E>::table) {
    if (entry.second == text) return {entry.first, {}};
  }
  return {std::nullopt, unknown_name(text, enum_names<E>())};
}

}  // namespace railyard::core
