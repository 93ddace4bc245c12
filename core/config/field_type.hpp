#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config_node.hpp"
#include "core/config/json_value.hpp"
#include "core/diagnostic.hpp"

namespace railyard::core {

/// What a config key must satisfy. Limits of a list or a map hold for each of its values.
struct FieldOptions {
  bool required = false;            ///< a file without the key is wrong
  std::optional<double> minimum{};  ///< of numbers; of amounts in bytes, bit/s or seconds
  std::optional<double> maximum{};
  bool allow_zero = false;    ///< a Bandwidth may be 0 (otherwise it must be positive)
  std::size_t min_items = 0;  ///< of lists and maps
};

/// The options of a key that must be there.
inline constexpr FieldOptions required{.required = true};

/// Takes the problems that a cross-field check finds, at pointers relative to the checked object.
class Problems {
 public:
  Problems(Diagnostics& diagnostics, std::string pointer)
      : diagnostics_(diagnostics), pointer_(std::move(pointer)) {}
  /// `key` is "" for the object itself, a key ("nodes") or a relative pointer ("/rails/0").
  void add(std::string_view key, std::string message, std::string hint = {});

 private:
  Diagnostics& diagnostics_;
  std::string pointer_;
};

class StructType;

/// The structs that a JSON Schema or a documentation page must define, by name.
using StructTypes = std::map<std::string, const StructType*, std::less<>>;

/// How values of one C++ type are read from a config, written to it, and described. The type is
/// erased: `value` points to an object of that type. core/config/fields.hpp makes these from
/// declarations.
class FieldType {
 public:
  virtual ~FieldType() = default;
  /// Reads into `value`; what is wrong goes to `problems` and leaves `value` in some valid state.
  virtual void read(const ConfigNode& node, void* value, Diagnostics& problems) const = 0;
  /// The value as JSON. A struct leaves out the keys in which it equals the one at `defaults`, or a
  /// default-constructed one where that is nullptr. null: the key is to be left out.
  [[nodiscard]] virtual JsonValue write(const void* value, const void* defaults) const = 0;
  /// JSON Schema of the value; structs in it are added to `structs`.
  [[nodiscard]] virtual JsonValue schema(StructTypes& structs) const = 0;
  /// The type in a few words: "a bandwidth such as '400 Gb/s'", "a list of Rail".
  [[nodiscard]] virtual std::string label() const = 0;
};

/// One key of a struct.
struct Field {
  std::string_view name;
  std::string_view doc;
  bool required;
  std::unique_ptr<const FieldType> type;
  std::function<void*(void*)> member;  ///< from a struct to its member
};

/// A struct whose keys are declared.
class StructType : public FieldType {
 public:
  StructType(std::string_view name, std::string_view doc, std::vector<Field> fields,
             std::shared_ptr<const void> defaults,
             std::function<void(const void*, Problems&)> check);

  void read(const ConfigNode& node, void* value, Diagnostics& problems) const override;
  [[nodiscard]] JsonValue write(const void* value, const void* defaults) const override;
  /// A reference to the definition of the struct.
  [[nodiscard]] JsonValue schema(StructTypes& structs) const override;
  [[nodiscard]] std::string label() const override;

  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] std::string_view doc() const { return doc_; }
  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }
  /// What a default-constructed struct has under a key, as JSON.
  [[nodiscard]] JsonValue default_of(const Field& field) const;

 private:
  void read_unknown_key(std::string_view key, const ConfigNode& node, Diagnostics& problems) const;

  std::string_view name_;
  std::string_view doc_;
  std::vector<Field> fields_;
  std::shared_ptr<const void> defaults_;
  std::function<void(const void*, Problems&)> check_;
};

/// "{key}: must be {expected}, not {what it is}".
void add_wrong_kind(const ConfigNode& node, std::string_view expected, Diagnostics& problems);

/// Reads a whole file's root into `value`; throws InputError with all problems.
void read_root(const ConfigNode& root, const StructType& type, void* value);
/// The text of a config file, with "$schema" first unless it is empty; ends with a newline.
[[nodiscard]] std::string write_root(const StructType& type, const void* value,
                                     std::string_view schema_uri);
/// JSON Schema (draft 2020-12) of a struct and all structs in it.
[[nodiscard]] std::string json_schema(const StructType& type);
/// Markdown: a heading and a table of keys for a struct and for each struct in it.
[[nodiscard]] std::string docs_table(const StructType& type);

}  // namespace railyard::core
