// What is told about a struct's keys: JSON Schema for editors, Markdown for people.
#include <fmt/format.h>

#include <cassert>

#include "core/config/field_type.hpp"

namespace railyard::core {
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
