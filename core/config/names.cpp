#include "core/config/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/config/json_value.hpp"

namespace railyard::core {
namespace {

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }
constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// A text of a user in a message: short, and without control characters.
std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string out(text.substr(0, kLongest));
  std::ranges::replace_if(out, is_control, '?');
  return text.size() > kLongest ? out + "..." : out;
}

bool is_label(std::string_view label) {
  constexpr std::size_t kLongest = 63;
  return !label.empty() && label.size() <= kLongest && is_letter_or_digit(label.front()) &&
         is_letter_or_digit(label.back()) && std::ranges::all_of(label, [](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '_';
         });
}

/// Words that YAML 1.1 reads as booleans, nulls or numbers, in lower case.
constexpr std::array<std::string_view, 10> kReserved{"y",   "n",    "yes",   "no",   "on",
                                                     "off", "true", "false", "null", "nan"};

bool is_plain_yaml(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::find(kReserved, lower) == kReserved.end() &&
         std::ranges::all_of(text, [](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.' || c == '/';
         });
}

}  // namespace

std::string host_name_problem(std::string_view name) {
  constexpr std::size_t kLongest = 253;
  bool good = name.size() <= kLongest;
  for (std::string_view rest = name; good;) {
    const std::size_t dot = rest.find('.');
    good = is_label(rest.substr(0, dot));
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  return good ? "" : fmt::format("'{}' is not the name of a host", shown(name));
}

std::string file_name_problem(std::string_view name) {
  constexpr std::size_t kLongest = 200;
  const bool good = !name.empty() && name.size() <= kLongest && name.front() != '.' &&
                    name.front() != '-' && name.find('/') == std::string_view::npos &&
                    std::ranges::none_of(name, is_control);
  return good ? "" : fmt::format("'{}' is not the name of a file", shown(name));
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "-_./:=,+@%^";
  const bool plain = !text.empty() && std::ranges::all_of(text, [&](char c) {
    return is_letter_or_digit(c) || kPlain.find(c) != std::string_view::npos;
  });
  if (plain) return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + '\'';
}

std::string yaml_scalar(std::string_view text) {
  return is_plain_yaml(text) ? std::string(text) : to_text(JsonValue::text(text));
}

}  // namespace railyard::core
