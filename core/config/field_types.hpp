#pragma once

#include <functional>

#include "core/config/field_type.hpp"

/// Field types (core/config/field_type.hpp) for the kinds of members that core/config/fields.hpp
/// supports. The templates of fields.hpp pass functions that access the erased value, so that
/// reading and writing is compiled once, in field_types.cpp.
namespace railyard::core {

using FieldTypePointer = std::unique_ptr<const FieldType>;

[[nodiscard]] FieldTypePointer boolean_type();
[[nodiscard]] FieldTypePointer number_type(const FieldOptions& options);
[[nodiscard]] FieldTypePointer text_type();

/// Access to an integer of one C++ type, and the range of that type.
struct IntegerAccess {
  std::int64_t minimum;
  std::int64_t maximum;
  std::int64_t (*load)(const void*);
  void (*store)(void*, std::int64_t);
};
[[nodiscard]] FieldTypePointer integer_type(IntegerAccess access, const FieldOptions& options);

/// Access to a value that is written as text with a unit; the members correspond to AmountForm.
struct TextAccess {
  std::string_view what;     ///< "a bandwidth"
  std::string_view example;  ///< "400 Gb/s"
  std::string pattern;       ///< regular expression for the schema
  bool positive;             ///< zero is an error; otherwise only negative values are
  /// Parses the text into the value. Returns the error, or "". On an error the value is unchanged.
  std::string (*parse)(std::string_view, void*);
  std::string (*print)(const void*);
  double (*amount)(const void*);  ///< value in `amount_unit`, for the limits
  std::string_view amount_unit;   ///< with a space before it: " B"
};
[[nodiscard]] FieldTypePointer amount_type(TextAccess access, const FieldOptions& options);

struct EnumAccess {
  std::vector<std::string_view> names;
  std::size_t (*load)(const void*);  ///< index into names
  void (*store)(void*, std::size_t);
};
[[nodiscard]] FieldTypePointer enum_type(EnumAccess access);

struct OptionalAccess {
  const void* (*get)(const void*);  ///< nullptr if empty
  void* (*emplace)(void*);
  void (*reset)(void*);
};
[[nodiscard]] FieldTypePointer optional_type(OptionalAccess access, FieldTypePointer element);

struct ListAccess {
  std::optional<std::size_t> fixed_size;
  std::size_t (*size)(const void*);
  void (*renew)(void*, std::size_t);  ///< replaces the list by this number of default values
  void* (*at)(void*, std::size_t);
};
[[nodiscard]] FieldTypePointer list_type(ListAccess access, FieldTypePointer element,
                                         const FieldOptions& options);

struct MapAccess {
  void (*clear)(void*);
  void* (*insert)(void*, std::string_view);
  void (*visit)(const void*, const std::function<void(const std::string&, const void*)>&);
};
[[nodiscard]] FieldTypePointer map_type(MapAccess access, FieldTypePointer element,
                                        const FieldOptions& options);

/// A reference to a struct type, so that a struct may contain lists of itself.
[[nodiscard]] FieldTypePointer struct_reference(const StructType& (*type)());

}  // namespace railyard::core
