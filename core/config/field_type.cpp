#include "core/config/field_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace railyard::core {
namespace {

/// Keys that any object may have: the schema's address, and comments.
bool is_free_key(std::string_view key) { return key == "$schema" || key.starts_with("//"); }

/// Field::member takes mutable structs, for reading; this only looks.
const void* member_of(const Field& field, const void* value) {
  return field.member(const_cast<void*>(value));
}

std::vector<Field>::const_iterator find_field(const std::vector<Field>& fields,
                                              std::string_view key) {
  return std::find_if(fields.begin(), fields.end(),
                      [&](const Field& field) { return field.name == key; });
}

}  // namespace

void Problems::add(std::string_view key, std::string message, std::string hint) {
  std::string pointer = pointer_;
  if (key.starts_with('/'))
    pointer += key;
  else if (!key.empty())
    pointer = pointer_to(pointer, key);
  diagnostics_.add(std::move(pointer), std::move(message), std::move(hint));
}

StructType::StructType(std::string_view name, std::string_view doc, std::vector<Field> fields,
                       std::shared_ptr<const void> defaults,
                       std::function<void(const void*, Problems&)> check)
    : name_(name),
      doc_(doc),
      fields_(std::move(fields)),
      defaults_(std::move(defaults)),
      check_(std::move(check)) {}

void StructType::read(const ConfigNode& node, void* value, Diagnostics& problems) const {
  if (!node.is_object()) return add_wrong_kind(node, label(), problems);
  const std::size_t before = problems.size();
  std::vector<bool> seen(fields_.size(), false);
  for (const auto& [key, member] : node.members()) {
    const auto field = find_field(fields_, key);
    if (field == fields_.end()) {
      read_unknown_key(key, member, problems);
      continue;
    }
    seen[static_cast<std::size_t>(field - fields_.begin())] = true;
    field->type->read(member, field->member(value), problems);
  }
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const Field& field = fields_[i];
    if (field.required && !seen[i])
      problems.add(node.pointer(), fmt::format("the key '{}' is missing", field.name),
                   fmt::format("{}: {}", field.doc, field.type->label()));
  }
  // A check may rely on every key of its object being right.
  if (check_ && problems.size() == before) {
    Problems found(problems, node.pointer());
    check_(value, found);
  }
}

void StructType::read_unknown_key(std::string_view key, const ConfigNode& node,
                                  Diagnostics& problems) const {
  if (is_free_key(key)) return;
  std::vector<std::string_view> names;
  for (const Field& field : fields_) names.push_back(field.name);
  problems.add(node.pointer(), fmt::format("'{}' is not a key of {}", key, name_),
               did_you_mean(key, names));
}

JsonValue StructType::write(const void* value, const void* defaults) const {
  if (defaults == nullptr) defaults = defaults_.get();
  JsonValue object = JsonValue::object();
  for (const Field& field : fields_) {
    const void* member = member_of(field, value);
    const void* usual = member_of(field, defaults);
    const bool same = field.type->write(member, nullptr) == field.type->write(usual, nullptr);
    if (same && !field.required) continue;
    // A struct that is read overlays its default, so it is written against that same default.
    object.set(field.name, field.type->write(member, usual));
  }
  return object;
}

JsonValue StructType::default_of(const Field& field) const {
  return field.type->write(member_of(field, defaults_.get()), nullptr);
}

std::string StructType::label() const { return fmt::format("an object ({})", name_); }

void read_root(const ConfigNode& root, const StructType& type, void* value) {
  Diagnostics problems(root.file());
  type.read(root, value, problems);
  problems.throw_if_any();
}

std::string write_root(const StructType& type, const void* value, std::string_view schema_uri) {
  JsonValue written = type.write(value, nullptr);
  if (schema_uri.empty()) return to_text(written) + "\n";
  JsonValue root = JsonValue::object();
  root.set("$schema", JsonValue::text(schema_uri));
  for (auto& [key, member] : std::get<JsonValue::Object>(written.data))
    root.set(key, std::move(member));
  return to_text(root) + "\n";
}

namespace {

/// Defaults worth telling: plain values that are not empty.
bool is_plain(const JsonValue& value) {
  if (const auto* text = std::get_if<std::string>(&value.data)) return !text->empty();
  return !value.is_null() && !std::holds_alternative<JsonValue::List>(value.data) &&
         !std::holds_alternative<JsonValue::Object>(value.data);
}

JsonValue field_schema(const StructType& type, const Field& field, StructTypes& structs) {
  JsonValue schema = field.type->schema(structs);
  schema.set("description", JsonValue::text(field.doc));
  if (!field.required) {
    JsonValue usual = type.default_of(field);
    if (is_plain(usual)) schema.set("default", std::move(usual));
  }
  return schema;
}

JsonValue definition(const StructType& type, StructTypes& structs) {
  JsonValue keys = JsonValue::object();
  JsonValue needed = JsonValue::list();
  JsonValue uri = JsonValue::object();
  uri.set("type", JsonValue::text("string"));
  keys.set("$schema", std::move(uri));
  for (const Field& field : type.fields()) {
    keys.set(field.name, field_schema(type, field, structs));
    if (field.required) needed.push(JsonValue::text(field.name));
  }
  JsonValue comments = JsonValue::object();
  comments.set("^//", {true});
  JsonValue schema = JsonValue::object();
  schema.set("type", JsonValue::text("object"));
  schema.set("description", JsonValue::text(type.doc()));
  schema.set("properties", std::move(keys));
  schema.set("patternProperties", std::move(comments));
  schema.set("required", std::move(needed));
  schema.set("additionalProperties", {false});
  return schema;
}

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string section(const StructType& type, std::string_view heading) {
  std::string out =
      fmt::format("{} {}\n\n{}\n\n| Key | Value | Default | Meaning |\n|---|---|---|---|\n",
                  heading, type.name(), type.doc());
  for (const Field& field : type.fields()) {
    const JsonValue usual = type.default_of(field);
    std::string shown;
    if (field.required)
      shown = "required";
    else if (is_plain(usual))
      shown = fmt::format("`{}`", to_text(usual));
    out += fmt::format("| `{}` | {} | {} | {} |\n", field.name, cell(field.type->label()),
                       cell(shown), cell(field.doc));
  }
  return out;
}

/// A struct and all that it holds, directly or not; first itself, then the others by name.
std::vector<const StructType*> reachable(const StructType& type) {
  std::vector<const StructType*> order{&type};
  StructTypes known{{std::string(type.name()), &type}};
  for (std::size_t i = 0; i < order.size(); ++i) {
    StructTypes below;
    for (const Field& field : order[i]->fields()) (void)field.type->schema(below);
    for (const auto& [name, next] : below) {
      if (known.emplace(name, next).second) order.push_back(next);
      assert(known.at(name) == next && "two config structs of one name");
    }
  }
  return order;
}

}  // namespace

JsonValue StructType::schema(StructTypes& structs) const {
  structs.emplace(name_, this);
  JsonValue reference = JsonValue::object();
  reference.set("$ref", JsonValue::text(fmt::format("#/$defs/{}", name_)));
  return reference;
}

std::string json_schema(const StructType& type) {
  JsonValue definitions = JsonValue::object();
  StructTypes ignored;
  for (const StructType* next : reachable(type))
    definitions.set(next->name(), definition(*next, ignored));
  JsonValue root = JsonValue::object();
  root.set("$schema", JsonValue::text("https://json-schema.org/draft/2020-12/schema"));
  root.set("title", JsonValue::text(type.name()));
  root.set("$ref", JsonValue::text(fmt::format("#/$defs/{}", type.name())));
  root.set("$defs", std::move(definitions));
  return to_text(root) + "\n";
}

std::string docs_table(const StructType& type) {
  std::string out;
  for (const StructType* next : reachable(type)) {
    if (!out.empty()) out += '\n';
    out += section(*next, next == &type ? "##" : "###");
  }
  return out;
}

}  // namespace railyard::core
