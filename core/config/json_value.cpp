#include "core/config/json_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace railyard::core {
namespace {

constexpr std::size_t kLine = 100;

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20)
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
          out += c;
    }
  }
  return out + '"';
}

std::string number(double value) {
  // JSON has no infinity; nothing that we write may be one.
  assert(std::isfinite(value));
  return fmt::format("{}", value);
}

struct Printer {
  std::string out;

  void line(std::size_t depth) {
    out += '\n';
    out.append(2 * depth, ' ');
  }

  void print(const JsonValue& value, std::size_t depth) {
    std::visit([&](const auto& held) { print(held, depth); }, value.data);
  }
  void print(std::nullptr_t, std::size_t) { out += "null"; }
  void print(bool value, std::size_t) { out += value ? "true" : "false"; }
  void print(std::int64_t value, std::size_t) { out += fmt::format("{}", value); }
  void print(double value, std::size_t) { out += number(value); }
  void print(const std::string& value, std::size_t) { out += quoted(value); }

  void print(const JsonValue::List& list, std::size_t depth) {
    if (print_on_one_line(list, depth)) return;
    out += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out += ',';
      line(depth + 1);
      print(list[i], depth + 1);
    }
    line(depth);
    out += ']';
  }

  void print(const JsonValue::Object& object, std::size_t depth) {
    if (object.empty()) {
      out += "{}";
      return;
    }
    out += '{';
    for (std::size_t i = 0; i < object.size(); ++i) {
      if (i > 0) out += ',';
      line(depth + 1);
      out += quoted(object[i].first) + ": ";
      print(object[i].second, depth + 1);
    }
    line(depth);
    out += '}';
  }

  bool print_on_one_line(const JsonValue::List& list, std::size_t depth) {
    Printer one_line;
    one_line.out = "[";
    for (const JsonValue& element : list) {
      if (std::holds_alternative<JsonValue::List>(element.data) ||
          std::holds_alternative<JsonValue::Object>(element.data))
        return false;
      if (one_line.out.size() > 1) one_line.out += ", ";
      one_line.print(element, 0);
      if (one_line.out.size() + 2 * depth > kLine) return false;
    }
    out += one_line.out + "]";
    return true;
  }
};

}  // namespace

void JsonValue::set(std::string_view key, JsonValue value) {
  std::get<Object>(data).emplace_back(std::string(key), std::move(value));
}

void JsonValue::push(JsonValue value) { std::get<List>(data).push_back(std::move(value)); }

const JsonValue* JsonValue::find(std::string_view key) const {
  const auto* object = std::get_if<Object>(&data);
  if (object == nullptr) return nullptr;
  const auto found = std::find_if(object->begin(), object->end(),
                                  [&](const auto& member) { return member.first == key; });
  return found == object->end() ? nullptr : &found->second;
}

std::string_view kind_name(const JsonValue& value) {
  constexpr std::array<std::string_view, 7> kNames{
      "null", "true or false", "a whole number", "a number", "text", "a list", "an object"};
  return kNames[value.data.index()];
}

std::string to_text(const JsonValue& value) {
  Printer printer;
  printer.print(value, 0);
  return std::move(printer.out);
}

std::string pointer_to(std::string_view pointer, std::string_view key) {
  std::string out(pointer);
  out += '/';
  for (const char c : key) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

std::string pointer_to(std::string_view pointer, std::size_t index) {
  return fmt::format("{}/{}", pointer, index);
}

}  // namespace railyard::core
