#include "collectives/formats/json_members.hpp"

#include <cstdint>
#include <variant>

namespace railyard::collectives {

using core::JsonValue;

std::string text_of(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  if (value == nullptr || value->is_null()) return {};
  if (const auto* text = std::get_if<std::string>(&value->data)) return *text;
  std::string text = core::to_text(*value);
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

std::optional<double> number_of(const JsonValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.data))
    return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value.data)) return *real;
  return std::nullopt;
}

std::optional<double> number_of(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  return value == nullptr ? std::nullopt : number_of(*value);
}

}  // namespace railyard::collectives
