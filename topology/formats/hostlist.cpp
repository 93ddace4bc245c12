#include "topology/formats/hostlist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

#include "core/trimmed.hpp"

namespace railyard::topology {
namespace {

constexpr std::string_view kBlanks = " \t\n\v\f\r";

// Largest number of digits in a name: more than any cluster needs, and fits into 64 bits.
constexpr std::size_t kMaxDigits = 15;

struct Failure {
  std::string error;
};

std::int64_t number_of(std::string_view digits) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = error == std::errc() && rest == digits.data() + digits.size();
  if (!whole || value < 0 || digits.size() > kMaxDigits)
    throw Failure{fmt::format("'{}' is not a number", digits.substr(0, 40))};
  return value;
}

/// Splits a text at commas that are outside of brackets.
std::vector<std::string_view> split_items(std::string_view text) {
  std::vector<std::string_view> items;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '[' && ++depth > 1) throw Failure{"'[' within brackets"};
    if (c == ']' && --depth < 0) throw Failure{"']' without '['"};
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    items.push_back(core::trimmed(text.substr(start, i - start), kBlanks));
    start = i + 1;
  }
  if (depth > 0) throw Failure{"'[' without ']'"};
  return items;
}

/// Expands the content of a bracket: "08-10,12" is 08 09 10 12.
std::vector<std::string> bracket_texts(std::string_view inside, std::size_t limit) {
  std::vector<std::string> texts;
  for (std::size_t start = 0; start <= inside.size();) {
    const std::size_t end = std::min(inside.find(',', start), inside.size());
    const std::string_view range = core::trimmed(inside.substr(start, end - start), kBlanks);
    start = end + 1;
    const std::size_t dash = range.find('-');
    const std::string_view low = core::trimmed(range.substr(0, dash), kBlanks);
    const std::string_view high =
        dash == std::string_view::npos ? low : core::trimmed(range.substr(dash + 1), kBlanks);
    const std::int64_t first = number_of(low), last = number_of(high);
    if (last < first) throw Failure{fmt::format("the range {} is in descending order", range)};
    if (static_cast<std::uint64_t>(last - first) >= limit - texts.size())
      throw Failure{fmt::format("more than {} names", limit)};
    const std::size_t width = low.starts_with('0') ? low.size() : 1;
    for (std::int64_t n = first; n <= last; ++n) texts.push_back(fmt::format("{:0{}}", n, width));
  }
  return texts;
}

void append_names(std::string_view item, std::size_t limit, std::vector<std::string>& names) {
  if (item.empty()) throw Failure{"a name is missing"};
  std::vector<std::string> made{""};
  while (!item.empty()) {
    const std::size_t open = item.find('[');
    for (std::string& name : made) name += item.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = item.find(']', open);
    const std::vector<std::string> texts =
        bracket_texts(item.substr(open + 1, close - open - 1), limit);
    if (texts.size() > limit / made.size()) throw Failure{fmt::format("more than {} names", limit)};
    std::vector<std::string> longer;
    for (const std::string& name : made)
      for (const std::string& text : texts) longer.push_back(name + text);
    made = std::move(longer);
    item.remove_prefix(close + 1);
  }
  if (made.size() > limit - names.size()) throw Failure{fmt::format("more than {} names", limit)};
  for (std::string& name : made) {
    if (!is_host_name(name)) throw Failure{"a name with a blank or one of []=#\"' in it"};
    names.push_back(std::move(name));
  }
}

/// A name, split into its prefix and its trailing number.
struct Numbered {
  std::string_view prefix;
  std::string_view digits;  ///< empty: no number
};

Numbered split_number(std::string_view name) {
  std::size_t at = name.size();
  while (at > 0 && std::isdigit(static_cast<unsigned char>(name[at - 1])) &&
         name.size() - at < kMaxDigits)
    --at;
  return {name.substr(0, at), name.substr(at)};
}

std::size_t padding(std::string_view digits) { return digits.starts_with('0') ? digits.size() : 1; }

}  // namespace

bool is_host_name(std::string_view name) {
  constexpr std::string_view kSeparators = "[],=#\"'";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    const bool is_control = static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
    return !is_control && kSeparators.find(c) == std::string_view::npos;
  });
}

core::Parsed<std::vector<std::string>> parse_hostlist(std::string_view text, std::size_t limit) {
  std::vector<std::string> names;
  try {
    for (const std::string_view item : split_items(text)) append_names(item, limit, names);
  } catch (const Failure& failure) {
    return {{}, failure.error};
  }
  return {std::move(names), {}};
}

std::string format_hostlist(std::span<const std::string> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size();) {
    const std::string_view prefix = split_number(names[i]).prefix;
    std::string ranges;
    std::size_t ends = 0;  // number of names in the bracket
    while (i < names.size()) {
      const Numbered first = split_number(names[i]);
      if (first.digits.empty() || first.prefix != prefix) break;
      const std::size_t width = padding(first.digits);
      std::int64_t last = number_of(first.digits);
      for (++i, ++ends; i < names.size(); ++i, ++ends) {
        if (names[i] != fmt::format("{}{:0{}}", prefix, last + 1, width)) break;
        ++last;
      }
      if (!ranges.empty()) ranges += ',';
      ranges += first.digits;
      if (last > number_of(first.digits)) ranges += fmt::format("-{:0{}}", last, width);
    }
    if (!out.empty()) out += ',';
    if (ends == 0) {
      out += names[i++];
    } else {
      out += ends == 1 ? std::string(prefix) + ranges : fmt::format("{}[{}]", prefix, ranges);
    }
  }
  return out;
}

}  // namespace railyard::topology
