#include "placement/strategy/counts.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

// Far above any pipeline or number of replicas, so that a typing error does not exhaust memory.
constexpr int kMost = 1'000'000;

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::vector<int> parse_counts(std::string_view text, const std::string& where) {
  std::vector<int> counts;
  for (std::string_view rest = text; true;) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    const std::size_t star = part.find('*');
    const auto value = number(part.substr(0, star));
    const auto times = star == part.npos ? std::optional(1) : number(part.substr(star + 1));
    if (!value || !times || *times < 1 || *times > kMost - static_cast<int>(counts.size()))
      throw InputError("", where, fmt::format("'{}' is no list of numbers", text), "10*2/6*2");
    counts.insert(counts.end(), static_cast<std::size_t>(*times), *value);
    if (slash == rest.npos) return counts;
    rest.remove_prefix(slash + 1);
  }
}

std::string to_counts_text(const std::vector<int>& counts) {
  std::string text;
  for (std::size_t i = 0; i < counts.size();) {
    std::size_t end = i + 1;
    while (end < counts.size() && counts[end] == counts[i]) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : "/", counts[i]);
    if (end - i > 1) text += fmt::format("*{}", end - i);
    i = end;
  }
  return text;
}

}  // namespace railyard::placement
