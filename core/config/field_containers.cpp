// Field types that hold other field types: optional, list, map, and a struct by reference.
#include <fmt/format.h>

#include "core/config/field_types.hpp"

namespace railyard::core {
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
    problems.add(node.pointer(), fmt::format("must hold at least {}", options.min_items));
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
      problems.add(node.pointer(), fmt::format("must hold {} values, not {}", *access_.fixed_size,
                                               elements.size()));
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
