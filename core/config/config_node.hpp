#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/json_value.hpp"

namespace railyard::core {

/// A value of a config file together with its position (file and JSON pointer), which errors name.
/// Cheap to copy. The node keeps the parsed file alive.
class ConfigNode {
 public:
  /// The root of a JSON file with comments. Throws InputError (see parse_json and read_text_file).
  [[nodiscard]] static ConfigNode read(const std::filesystem::path& path);
  /// The root of a JSON text; `file` is named in errors.
  [[nodiscard]] static ConfigNode parse(std::string_view text, std::string file);

  [[nodiscard]] const std::string& file() const;
  /// JSON pointer from the root of the file, "" for the root.
  [[nodiscard]] const std::string& pointer() const { return pointer_; }
  [[nodiscard]] const JsonValue& value() const { return *value_; }
  /// "a list", "text": for messages.
  [[nodiscard]] std::string_view kind_name() const { return core::kind_name(*value_); }

  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_list() const;
  /// Each of these is empty if the value has another kind.
  [[nodiscard]] std::optional<bool> boolean() const;
  [[nodiscard]] std::optional<std::int64_t> integer() const;
  [[nodiscard]] std::optional<double> number() const;  ///< whole numbers too
  [[nodiscard]] std::optional<std::string_view> text() const;

  /// Members of an object in the order of the file; empty for other kinds.
  [[nodiscard]] std::vector<std::pair<std::string_view, ConfigNode>> members() const;
  [[nodiscard]] std::optional<ConfigNode> find(std::string_view key) const;
  /// Elements of a list; empty for other kinds.
  [[nodiscard]] std::vector<ConfigNode> elements() const;

 private:
  struct Document {
    std::string file;
    JsonValue root;
  };
  ConfigNode(std::shared_ptr<const Document> document, const JsonValue* value, std::string pointer);

  std::shared_ptr<const Document> document_;
  const JsonValue* value_;
  std::string pointer_;
};

}  // namespace railyard::core
