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

/// The limits of a config key. For a list or a map, `minimum` and `maximum` apply to each element.
struct FieldOptions {
  bool required = false;            ///< the key must be in the file
  std::optional<double> minimum{};  ///< of a number; of an amount in bytes, bit/s or seconds
  std::optional<double> maximum{};
  bool allow_zero = false;    ///< a Bandwidth may be 0 (otherwise it must be positive)
  std::size_t min_items = 0;  ///< smallest size of a list or map
};

/// The options of a required key.
inline constexpr FieldOptions required{.required = true};

/// Collects the problems that Fields<T>::check finds. Pointers are relative to the checked object.
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

/// Structs by name, for which a JSON Schema or a documentation page needs a definition.
using StructTypes = std::map<std::string, const StructType*, std::less<>>;

/// Reads, writes and describes the values of one C++ type in configs. The type is erased: `value`
/// points to an object of that type. core/config/fields.hpp creates these from declarations.
class FieldType {
 public:
  virtual ~FieldType() = default;
  /// Reads into `value`. Adds errors to `problems`; `value` is then in some valid state.
  virtual void read(const ConfigNode& node, void* value, Diagnostics& problems) const = 0;
  /// The value as JSON. A struct omits each key whose value equals that of the struct at
  /// `defaults`, or of a default-constructed struct if `defaults` is nullptr. A null result means
  /// that the key is omitted.
  [[nodiscard]] virtual JsonValue write(const void* value, const void* defaults) const = 0;
  /// JSON Schema of the value. Adds the structs that it contains to `structs`.
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
  std::function<void*(void*)> member;  ///< returns the address of the member in a struct
};

/// A config struct: its name, its documentation and its fields.
class StructType : public FieldType {
 public:
  StructType(std::string_view name, std::string_view doc, std::vector<Field> fields,
             std::shared_ptr<const void> defaults,
             std::function<void(const void*, Problems&)> check);

  void read(const ConfigNode& node, void* value, Diagnostics& problems) const override;
  [[nodiscard]] JsonValue write(const void* value, const void* defaults) const override;
  /// The "$ref" to the definition of the struct.
  [[nodiscard]] JsonValue schema(StructTypes& structs) const override;
  [[nodiscard]] std::string label() const override;

  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] std::string_view doc() const { return doc_; }
  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }
  /// The value of a field in a default-constructed struct, as JSON.
  [[nodiscard]] JsonValue default_of(const Field& field) const;

 private:
  void read_unknown_key(std::string_view key, const ConfigNode& node, Diagnostics& problems) const;

  std::string_view name_;
  std::string_view doc_;
  std::vector<Field> fields_;
  std::shared_ptr<const void> defaults_;
  std::function<void(const void*, Problems&)> check_;
};

/// Adds the error "{key}: must be {expected}, not {kind of the node}".
void add_wrong_kind(const ConfigNode& node, std::string_view expected, Diagnostics& problems);

/// Reads the root of a file into `value`. Throws InputError with all problems.
void read_root(const ConfigNode& root, const StructType& type, void* value);
/// The text of a config file, with a newline at its end. "$schema" is its first key unless
/// `schema_uri` is empty.
[[nodiscard]] std::string write_root(const StructType& type, const void* value,
                                     std::string_view schema_uri);
/// JSON Schema (draft 2020-12) of a struct and all structs in it.
[[nodiscard]] std::string json_schema(const StructType& type);
/// Markdown: a heading and a table of keys for a struct and for each struct in it.
[[nodiscard]] std::string docs_table(const StructType& type);

}  // namespace railyard::core
