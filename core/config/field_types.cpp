#include "core/config/field_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cassert>

#include "core/config/enum_names.hpp"

namespace railyard::core {
namespace {

/// "must be at least 1" where a value is outside the limits of its key.
void check_limits(double amount, std::string_view unit, const FieldOptions& options,
                  const ConfigNode& node, Diagnostics& problems) {
  if (options.minimum && amount < *options.minimum)
    problems.add(node.pointer(), fmt::format("must be at least {}{}", *options.minimum, unit));
  if (options.maximum && amount > *options.maximum)
    problems.add(node.pointer(), fmt::format("must be at most {}{}", *options.maximum, unit));
}

JsonValue number_schema(std::string_view type, std::optional<double> minimum,
                        std::optional<double> maximum) {
  JsonValue schema = JsonValue::object();
  schema.set("type", JsonValue::text(type));
  if (minimum) schema.set("minimum", {*minimum});
  if (maximum) schema.set("maximum", {*maximum});
  return schema;
}

JsonValue plain_schema(std::string_view type) { return number_schema(type, {}, {}); }

class BooleanType : public FieldType {
 public:
  void read(const ConfigNode& node, void* value, Diagnostics& problems) const override {
    if (const auto found = node.boolean())
      *static_cast<bool*>(value) = *found;
    else
      add_wrong_kind(node, label(), problems);
  }
  JsonValue write(const void* value, const void*) const override {
    return {*static_cast<const bool*>(value)};
  }
  JsonValue schema(StructTypes&) const override { return plain_schema("boolean"); }
  std::string label() const override { return "true or false"; }
};

class NumberType : public FieldType {
 public:
  explicit NumberType(const FieldOptions& options) : options_(options) {}
  void read(const ConfigNode& node, void* value, Diagnostics& problems) const override {
    const auto found = node.number();
    if (!found) return add_wrong_kind(node, label(), problems);
    check_limits(*found, "", options_, node, problems);
    *static_cast<double*>(value) = *found;
  }
  JsonValue write(const void* value, const void*) const override {
    return {*static_cast<const double*>(value)};
  }
  JsonValue schema(StructTypes&) const override {
    return number_schema("number", options_.minimum, options_.maximum);
  }
  std::string label() const override { return "a number"; }

 private:
  FieldOptions options_;
};

class TextType : public FieldType {
 public:
  void read(const ConfigNode& node, void* value, Diagnostics& problems) const override {
    if (const auto found = node.text())
      *static_cast<std::string*>(value) = *found;
    else
      add_wrong_kind(node, label(), problems);
  }
  JsonValue write(const void* value, const void*) const override {
    return {*static_cast<const std::string*>(value)};
  }
  JsonValue schema(StructTypes&) const override { return plain_schema("string"); }
  std::string label() const override { return "text"; }
};

class IntegerType : public FieldType {
 public:
  IntegerType(IntegerAccess access, const FieldOptions& options)
      : access_(access), options_(options) {}
  void read(const ConfigNode& node, void* value, Diagnostics& problems) const override {
    const auto found = node.integer();
    if (!found) return add_wrong_kind(node, label(), problems);
    if (*found < lowest() || *found > highest())
      return problems.add(node.pointer(), out_of_range(*found));
    access_.store(value, *found);
  }
  JsonValue write(const void* value, const void*) const override { return {access_.load(value)}; }
  JsonValue schema(StructTypes&) const override {
    JsonValue schema = plain_schema("integer");
    schema.set("minimum", {lowest()});
    schema.set("maximum", {highest()});
    return schema;
  }
  std::string label() const override { return "a whole number"; }

 private:
  [[nodiscard]] std::string out_of_range(std::int64_t found) const {
    const bool below = found < lowest();
    return fmt::format("must be at {} {}, not {}", below ? "least" : "most",
                       below ? lowest() : highest(), found);
  }
  /// The tighter of the C++ type's limit and the key's. Limits of keys are small whole numbers.
  [[nodiscard]] std::int64_t lowest() const {
    if (!options_.minimum) return access_.minimum;
    return std::max(access_.minimum, static_cast<std::int64_t>(*options_.minimum));
  }
  [[nodiscard]] std::int64_t highest() const {
    if (!options_.maximum) return access_.maximum;
    return std::min(access_.maximum, static_cast<std::int64_t>(*options_.maximum));
  }

  IntegerAccess access_;
  FieldOptions options_;
};

class AmountType : public FieldType {
 public:
  AmountType(TextAccess access, const FieldOptions& options)
      : access_(std::move(access)), options_(options) {}
  void read(const ConfigNode& node, void* value, Diagnostics& problems) const override {
    const auto found = node.text();
    if (!found && !node.number()) return add_wrong_kind(node, label(), problems);
    const std::string text = found ? std::string(*found) : to_text(node.value());
    const std::string error = access_.parse(text, value);
    if (!error.empty()) return problems.add(node.pointer(), error);
    const double amount = access_.amount(value);
    if (access_.positive && !options_.allow_zero && amount <= 0)
      problems.add(node.pointer(), fmt::format("must be more than zero, not '{}'", text));
    else if (amount < 0)
      problems.add(node.pointer(), fmt::format("must not be negative, as '{}' is", text));
    else
      check_limits(amount, access_.amount_unit, options_, node, problems);
  }
  JsonValue write(const void* value, const void*) const override { return {access_.print(value)}; }
  JsonValue schema(StructTypes&) const override {
    JsonValue schema = plain_schema("string");
    schema.set("pattern", {access_.pattern});
    JsonValue examples = JsonValue::list();
    examples.push(JsonValue::text(access_.example));
    schema.set("examples", std::move(examples));
    return schema;
  }
  std::string label() const override {
    return fmt::format("{} such as '{}'", access_.what, access_.example);
  }

 private:
  TextAccess access_;
  FieldOptions options_;
};

class EnumType : public FieldType {
 public:
  explicit EnumType(EnumAccess access) : access_(std::move(access)) {}
  void read(const ConfigNode& node, void* value, Diagnostics& problems) const override {
    const auto found = node.text();
    if (!found) return add_wrong_kind(node, label(), problems);
    for (std::size_t i = 0; i < access_.names.size(); ++i) {
      if (access_.names[i] == *found) return access_.store(value, i);
    }
    problems.add(node.pointer(),
                 fmt::format("'{}' is not one of {}", *found, fmt::join(access_.names, ", ")),
                 did_you_mean(*found, access_.names));
  }
  JsonValue write(const void* value, const void*) const override {
    const std::size_t index = access_.load(value);
    assert(index < access_.names.size() && "an enum value without a name");
    return JsonValue::text(access_.names[index]);
  }
  JsonValue schema(StructTypes&) const override {
    JsonValue names = JsonValue::list();
    for (const std::string_view name : access_.names) names.push(JsonValue::text(name));
    JsonValue schema = JsonValue::object();
    schema.set("enum", std::move(names));
    return schema;
  }
  std::string label() const override {
    return fmt::format("one of {}", fmt::join(access_.names, ", "));
  }

 private:
  EnumAccess access_;
};

}  // namespace

void add_wrong_kind(const ConfigNode& node, std::string_view expected, Diagnostics& problems) {
  problems.add(node.pointer(), fmt::format("must be {}, not {}", expected, node.kind_name()));
}

FieldTypePointer boolean_type() { return std::make_unique<BooleanType>(); }

FieldTypePointer number_type(const FieldOptions& options) {
  return std::make_unique<NumberType>(options);
}

FieldTypePointer text_type() { return std::make_unique<TextType>(); }

FieldTypePointer integer_type(IntegerAccess access, const FieldOptions& options) {
  return std::make_unique<IntegerType>(access, options);
}

FieldTypePointer amount_type(TextAccess access, const FieldOptions& options) {
  return std::make_unique<AmountType>(std::move(access), options);
}

FieldTypePointer enum_type(EnumAccess access) {
  return std::make_unique<EnumType>(std::move(access));
}

namespace {

/// "a number" in the plural of lists: without its article.
std::string without_article(std::string label) {
  for (const std::string_view article : {"a ", "an "}) {
    if (label.starts_with(article)) return label.substr(article.size());
  }
  return label;
}

void check_items(std::size_t count, const FieldOptions& options, const ConfigNode& node,
                 Diagnostics& problems) {
  if (count < options.min_items)
    problems.add(node.pointer(), fmt::format("must contain at least {}", options.min_items));
}

class OptionalType : public FieldType {
 public:
  OptionalType(OptionalAccess access, FieldTypePointer element)
      : access_(access), element_(std::move(element)) {}
  void read(const ConfigNode& node, void* value, Diagnostics& problems) const override {
    if (node.is_null())
      access_.reset(value);
    else
      element_->read(node, access_.emplace(value), problems);
  }
  JsonValue write(const void* value, const void*) const override {
    const void* held = access_.get(value);
    return held == nullptr ? JsonValue{nullptr} : element_->write(held, nullptr);
  }
  JsonValue schema(StructTypes& structs) const override { return element_->schema(structs); }
  std::string label() const override { return element_->label(); }

 private:
  OptionalAccess access_;
  FieldTypePointer element_;
};

class ListType : public FieldType {
 public:
  ListType(ListAccess access, FieldTypePointer element, const FieldOptions& options)
      : access_(access), element_(std::move(element)), options_(options) {}
  void read(const ConfigNode& node, void* value, Diagnostics& problems) const override {
    if (!node.is_list()) return add_wrong_kind(node, label(), problems);
    const std::vector<ConfigNode> elements = node.elements();
    if (access_.fixed_size && elements.size() != *access_.fixed_size) {
      problems.add(node.pointer(), fmt::format("must contain {} values, not {}",
                                               *access_.fixed_size, elements.size()));
      return;
    }
    check_items(elements.size(), options_, node, problems);
    access_.renew(value, elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i)
      element_->read(elements[i], access_.at(value, i), problems);
  }
  JsonValue write(const void* value, const void*) const override {
    JsonValue list = JsonValue::list();
    for (std::size_t i = 0; i < access_.size(value); ++i) {
      // at() takes mutable lists, for read(); nothing is changed here.
      list.push(element_->write(access_.at(const_cast<void*>(value), i), nullptr));
    }
    return list;
  }
  JsonValue schema(StructTypes& structs) const override {
    JsonValue schema = JsonValue::object();
    schema.set("type", JsonValue::text("array"));
    schema.set("items", element_->schema(structs));
    const std::size_t least = access_.fixed_size.value_or(options_.min_items);
    if (least > 0) schema.set("minItems", {static_cast<std::int64_t>(least)});
    if (access_.fixed_size)
      schema.set("maxItems", {static_cast<std::int64_t>(*access_.fixed_size)});
    return schema;
  }
  std::string label() const override {
    const std::string of = without_article(element_->label());
    if (access_.fixed_size) return fmt::format("a list of {} × {}", *access_.fixed_size, of);
    return "a list of " + of;
  }

 private:
  ListAccess access_;
  FieldTypePointer element_;
  FieldOptions options_;
};

class MapType : public FieldType {
 public:
  MapType(MapAccess access, FieldTypePointer element, const FieldOptions& options)
      : access_(access), element_(std::move(element)), options_(options) {}
  void read(const ConfigNode& node, void* value, Diagnostics& problems) const override {
    if (!node.is_object()) return add_wrong_kind(node, label(), problems);
    access_.clear(value);
    std::size_t count = 0;
    for (const auto& [key, member] : node.members()) {
      if (key.starts_with("//")) continue;
      element_->read(member, access_.insert(value, key), problems);
      ++count;
    }
    check_items(count, options_, node, problems);
  }
  JsonValue write(const void* value, const void*) const override {
    JsonValue object = JsonValue::object();
    access_.visit(value, [&](const std::string& key, const void* held) {
      object.set(key, element_->write(held, nullptr));
    });
    return object;
  }
  JsonValue schema(StructTypes& structs) const override {
    JsonValue comments = JsonValue::object();
    comments.set("^//", {true});
    JsonValue schema = JsonValue::object();
    schema.set("type", JsonValue::text("object"));
    schema.set("patternProperties", std::move(comments));
    schema.set("additionalProperties", element_->schema(structs));
    if (options_.min_items > 0)
      schema.set("minProperties", {static_cast<std::int64_t>(options_.min_items)});
    return schema;
  }
  std::string label() const override {
    return "an object of " + without_article(element_->label()) + " by name";
  }

 private:
  MapAccess access_;
  FieldTypePointer element_;
  FieldOptions options_;
};

class StructReference : public FieldType {
 public:
  explicit StructReference(const StructType& (*type)()) : type_(type) {}
  void read(const ConfigNode& node, void* value, Diagnostics& problems) const override {
    type_().read(node, value, problems);
  }
  JsonValue write(const void* value, const void* defaults) const override {
    return type_().write(value, defaults);
  }
  JsonValue schema(StructTypes& structs) const override { return type_().schema(structs); }
  std::string label() const override { return type_().label(); }

 private:
  const StructType& (*type_)();
};

}  // namespace

FieldTypePointer optional_type(OptionalAccess access, FieldTypePointer element) {
  return std::make_unique<OptionalType>(access, std::move(element));
}

FieldTypePointer list_type(ListAccess access, FieldTypePointer element,
                           const FieldOptions& options) {
  return std::make_unique<ListType>(access, std::move(element), options);
}

FieldTypePointer map_type(MapAccess access, FieldTypePointer element, const FieldOptions& options) {
  return std::make_unique<MapType>(access, std::move(element), options);
}

FieldTypePointer struct_reference(const StructType& (*type)()) {
  return std::make_unique<StructReference>(type);
}

}  // namespace railyard::core
