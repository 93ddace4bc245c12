#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace railyard::core {

/// A JSON value. Objects keep the order of their keys.
struct JsonValue {
  using List = std::vector<JsonValue>;
  using Object = std::vector<std::pair<std::string, JsonValue>>;
  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, List, Object> data =
      nullptr;

  [[nodiscard]] static JsonValue text(std::string_view value) { return {std::string(value)}; }
  [[nodiscard]] static JsonValue list() { return {List{}}; }
  [[nodiscard]] static JsonValue object() { return {Object{}}; }
  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::nullptr_t>(data); }
  /// Appends a member to an object. The key must be new.
  void set(std::string_view key, JsonValue value);
  /// Appends to a list.
  void push(JsonValue value);
  /// The member of an object, or nullptr.
  [[nodiscard]] const JsonValue* find(std::string_view key) const;
  bool operator==(const JsonValue&) const = default;
};

/// The kind of a value in words: "a list", "text", "null".
[[nodiscard]] std::string_view kind_name(const JsonValue& value);

/// JSON text with an indent of two spaces. A list of plain values is written on one line if it
/// fits. Doubles read back exactly. There is no newline at the end.
[[nodiscard]] std::string to_text(const JsonValue& value);

/// Reads JSON with // and /* */ comments. Throws InputError with line and column if the text is not
/// JSON or not UTF-8, or has duplicate keys, more than 64 levels or more than four million values.
[[nodiscard]] JsonValue parse_json(std::string_view text, const std::string& file);

/// The JSON pointer of a member or an element ("/fabric" and "a/b" give "/fabric/a~1b", RFC 6901).
[[nodiscard]] std::string pointer_to(std::string_view pointer, std::string_view key);
[[nodiscard]] std::string pointer_to(std::string_view pointer, std::size_t index);

}  // namespace railyard::core
