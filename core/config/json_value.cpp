#include "core/config/json_value.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <set>

#include "core/diagnostic.hpp"

namespace railyard::core {
namespace {

constexpr std::size_t kLine = 100;

/// JSON text of a string; bytes that are not UTF-8 become U+FFFD.
std::string in_quotes(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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
  void print(const std::string& value, std::size_t) { out += in_quotes(value); }

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
      out += in_quotes(object[i].first) + ": ";
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

namespace {

// Deep nesting is an attack or an accident: no config of ours goes deeper than ten.
constexpr std::size_t kMaxDepth = 64;
// Bounds the memory of a hostile file: at about 100 bytes a value, 400 MB.
constexpr std::size_t kMaxValues = 4'000'000;

/// The line and column (from 1) of a byte of a text.
std::string place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t column =
      newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
  return fmt::format("line {}, column {}", line, std::max<std::size_t>(column, 1));
}

/// nlohmann's explanation without its prefix, printable and short.
std::string explanation(std::string text) {
  constexpr std::string_view kBefore = "column ";
  if (const std::size_t at = text.find(kBefore); at != std::string::npos) {
    if (const std::size_t colon = text.find(": ", at); colon != std::string::npos)
      text.erase(0, colon + 2);
  }
  constexpr std::size_t kLongest = 200;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

/// Receives the events of nlohmann's parser (which does not recurse) and builds the tree.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  [[nodiscard]] JsonValue take() { return std::move(root_); }

  bool null() override { return add({nullptr}); }
  bool boolean(bool value) override { return add({value}); }
  bool number_integer(number_integer_t value) override { return add({value}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
      return add({static_cast<double>(value)});
    return add({static_cast<std::int64_t>(value)});
  }
  bool number_float(number_float_t value, const string_t& written) override {
    if (!std::isfinite(value)) fail(fmt::format("{} is too large", written));
    return add({value});
  }
  bool string(string_t& value) override { return add({std::move(value)}); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(JsonValue::object()); }
  bool start_array(std::size_t) override { return open(JsonValue::list()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    Level& level = open_.back();
    level.key = name;
    if (!level.keys.insert(name).second) fail("appears twice", "keep one of the two");
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    throw InputError(file_, place_of(text_, position), "is not JSON: " + explanation(error.what()));
  }

 private:
  struct Level {
    JsonValue value;
    std::string key;
    std::set<std::string> keys;
  };

  [[noreturn]] void fail(std::string message, std::string hint = {}) const {
    throw InputError(file_, pointer(), std::move(message), std::move(hint));
  }

  [[nodiscard]] std::string pointer() const {
    std::string out;
    for (const Level& level : open_) {
      if (const auto* list = std::get_if<JsonValue::List>(&level.value.data))
        out = pointer_to(out, list->size());
      else
        out = pointer_to(out, level.key);
    }
    return out;
  }

  bool add(JsonValue value) {
    if (++count_ > kMaxValues)
      throw InputError(file_, "", fmt::format("contains more than {} values", kMaxValues),
                       "is this the right file?");
    if (open_.empty())
      root_ = std::move(value);
    else if (std::holds_alternative<JsonValue::List>(open_.back().value.data))
      open_.back().value.push(std::move(value));
    else
      open_.back().value.set(open_.back().key, std::move(value));
    return true;
  }

  bool open(JsonValue value) {
    if (open_.size() == kMaxDepth)
      throw InputError(file_, "", fmt::format("is nested deeper than {} levels", kMaxDepth),
                       "is this the right file?");
    open_.push_back({std::move(value), {}, {}});
    return true;
  }

  bool close() {
    JsonValue value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }

  std::string_view text_;
  const std::string& file_;
  JsonValue root_;
  std::vector<Level> open_;
  std::size_t count_ = 0;
};

}  // namespace

JsonValue parse_json(std::string_view text, const std::string& file) {
  Builder builder(text, file);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder,
                            nlohmann::json::input_format_t::json, /*strict=*/true,
                            /*ignore_comments=*/true);
  return builder.take();
}

}  // namespace railyard::core
