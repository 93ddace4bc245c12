#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace railyard::core {

/// A JSON value; objects keep the order in which their keys were written.
struct JsonValue {
  using List = std::vector<JsonValue>;
  using Object = std::vector<std::pair<std::string, JsonValue>>;
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, List, Object> data =
      nullptr;

  [[nodiscard]] static JsonValue text(std::string_view value) { return {std::string(value)}; }
  [[nodiscard]] static JsonValue list() { return {List{}}; }
  [[nodiscard]] static JsonValue object() { return {Object{}}; }
  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::nullptr_t>(data); }
  /// Appends to an object (the caller sees to it that the key is new).
  void set(std::string_view key, JsonValue value);
  /// Appends to a list.
  void push(JsonValue value);
  /// The member of an object, or nullptr.
  [[nodiscard]] const JsonValue* find(std::string_view key) const;
  bool operator==(const JsonValue&) const = default;
};

/// What a value is, in words: "a list", "text", "null".
[[nodiscard]] std::string_view kind_name(const JsonValue& value);

/// Indented by two; lists of plain values that fit stay on one line; doubles read back exactly. No
/// newline at the end.
[[nodiscard]] std::string to_text(const JsonValue& value);

/// Reads JSON with // and /* */ comments. Throws InputError, with line and column, for text that is
/// not JSON or not UTF-8, duplicate keys, more than 64 levels or more than four million values.
[[nodiscard]] JsonValue parse_json(std::string_view text, const std::string& file);

/// The pointer of a member or an element ("/fabric" + "a/b" is "/fabric/a~1b", RFC 6901).
[[nodiscard]] std::string pointer_to(std::string_view pointer, std::string_view key);
[[nodiscard]] std::string pointer_to(std::string_view pointer, std::size_t index);

}  // namespace railyard::core
