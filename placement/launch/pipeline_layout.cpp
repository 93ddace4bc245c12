#include "placement/launch/pipeline_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace railyard::placement {
namespace {

constexpr std::size_t kLongest = 1 << 16;  // letters of a layout written out

/// Reads the number after a '*' at `at` and advances `at` behind it; nothing if there is no '*'.
std::optional<std::size_t> times(std::string_view text, std::size_t& at) {
  if (at >= text.size() || text[at] != '*') return std::nullopt;
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data() + at + 1, text.data() + text.size(), count);
  if (error != std::errc()) return std::nullopt;
  at = static_cast<std::size_t>(end - text.data());
  return count;
}

/// Appends `what` `count` times. Returns false if the result is too long.
bool repeat(std::string& out, std::string_view what, std::size_t count) {
  if (count > kLongest || out.size() + what.size() * count > kLongest) return false;
  for (std::size_t i = 0; i < count; ++i) out += what;
  return true;
}

/// Expands repetitions to letters and bars: first (..)*n, then x*n, as Megatron Core does.
std::optional<std::string> written_out(std::string_view text) {
  std::string groups, letters;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '(') {
      groups += text[i++];
      continue;
    }
    const std::size_t close = text.find(')', i);
    if (close == text.npos) return std::nullopt;
    const std::string_view inside = text.substr(i + 1, close - i - 1);
    i = close + 1;
    const auto count = times(text, i);
    if (!count || !repeat(groups, inside, *count)) return std::nullopt;
  }
  for (std::size_t i = 0; i < groups.size();) {
    const char letter = groups[i++];
    const auto count = times(groups, i);
    if (!repeat(letters, std::string_view(&letter, 1), count.value_or(1))) return std::nullopt;
  }
  return letters;
}

}  // namespace

PipelineLayout parse_layout(std::string_view text) {
  std::string plain(text);
  // Scripts escape the layout for the shell: Et\*3\|t.
  std::erase_if(plain, [](char c) { return c == ',' || c == '\\' || c == ' '; });
  PipelineLayout layout;
  const auto letters = written_out(plain);
  if (!letters)
    return {.problem = "has a group without an end, or a number of times without sense"};
  layout.layers.push_back(0);
  for (const char c : *letters) {
    if (c == '|') layout.layers.push_back(0);
    if (c == 't') ++layout.layers.back();
    if (c == 'm') ++layout.mtp;
    if (std::string_view("|tmEL").find(c) == std::string_view::npos)
      return {.problem = fmt::format("has a '{}': E, t, m, L, | and * are known", c)};
  }
  const auto count = [&](char c) { return std::ranges::count(*letters, c); };
  if (count('E') != 1 || letters->front() != 'E')
    layout.problem = "needs one E, at the beginning of the first stage";
  else if (count('L') != 1 || letters->back() != 'L')
    layout.problem = "needs one L, at the end of the last stage";
  return layout;
}

std::string to_layout_text(const std::vector<int>& layers) {
  std::string text = "E";
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i > 0) text += '|';
    if (layers[i] == 1) text += 't';
    if (layers[i] > 1) text += fmt::format("t*{}", layers[i]);
  }
  return text + 'L';
}

}  // namespace railyard::placement
