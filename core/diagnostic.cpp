#include "core/diagnostic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace railyard::core {
namespace {

/// More would scroll the first one away, which is most likely the cause of the others.
constexpr std::size_t kMostPrinted = 20;

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Number of insertions, deletions, substitutions and swaps of neighbouring letters that turn `a`
/// into `b` (optimal string alignment distance), ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

/// Small letters, digits and '_' for all else.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) out += std::isalnum(static_cast<unsigned char>(c)) ? lower(c) : '_';
  return out;
}

/// "did you mean 'a' or 'b'?"; "" where there are none, or too many to help.
std::string one_of(std::span<const std::string_view> names) {
  constexpr std::size_t kMostNames = 6;
  if (names.empty() || names.size() > kMostNames) return "";
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : i + 1 == names.size() ? " or " : ", ", names[i]);
  return fmt::format("did you mean {}?", text);
}

/// The candidates that contain the word.
std::string names_with(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLeastLetters = 3;
  if (word.size() < kLeastLetters) return "";
  std::vector<std::string_view> with;
  for (const std::string_view candidate : candidates)
    if (plain(candidate).find(plain(word)) != std::string::npos) with.push_back(candidate);
  return one_of(with);
}

/// The smallest edit distance between `word` and a sequence of consecutive parts of a name:
/// "dgx_h1000" has distance 1 to the part "dgx_h100" of "dgx_h100_ndr400".
std::size_t distance_to_parts(std::string_view word, std::string_view name) {
  const std::string parts = plain(name), wanted = plain(word);
  std::vector<std::size_t> begins{0}, ends;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] != '_') continue;
    ends.push_back(i);
    begins.push_back(i + 1);
  }
  ends.push_back(parts.size());
  std::size_t nearest = wanted.size();
  for (std::size_t first = 0; first < begins.size(); ++first)
    for (std::size_t last = first; last < ends.size(); ++last)
      nearest =
          std::min(nearest, edit_distance(wanted, std::string_view(parts).substr(
                                                      begins[first], ends[last] - begins[first])));
  return nearest;
}

/// The candidates that contain the part most similar to `word`. Its distance must be below `bound`
/// and at most a quarter of the word's letters.
std::string names_with_part_like(std::string_view word, std::size_t bound,
                                 std::span<const std::string_view> candidates) {
  constexpr std::size_t kLeastLetters = 5;
  if (word.size() < kLeastLetters) return "";
  std::size_t nearest = std::min(bound, word.size() / 4 + 1);
  std::vector<std::string_view> found;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = distance_to_parts(word, candidate);
    if (distance < nearest) found.clear();
    if (distance < nearest || (distance == nearest && !found.empty())) found.push_back(candidate);
    nearest = std::min(nearest, distance);
  }
  return one_of(found);
}

}  // namespace

std::string to_text(const Diagnostic& diagnostic) {
  std::string place = diagnostic.file;
  if (!diagnostic.pointer.empty()) {
    if (!place.empty()) place += ':';
    place += diagnostic.pointer;
  }
  if (!place.empty()) place += ": ";
  const std::string hint = diagnostic.hint.empty() ? "" : fmt::format(" ({})", diagnostic.hint);
  return fmt::format("{}{}{}", place, diagnostic.message, hint);
}

std::vector<std::string> printed_lines(std::span<const Diagnostic> diagnostics) {
  std::vector<std::string> lines;
  for (const Diagnostic& diagnostic : diagnostics.first(std::min(diagnostics.size(), kMostPrinted)))
    lines.push_back(core::to_text(diagnostic));
  if (diagnostics.size() > kMostPrinted)
    lines.push_back(fmt::format("{} more problems", diagnostics.size() - kMostPrinted));
  return lines;
}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(fmt::format("{}", fmt::join(printed_lines(diagnostics), "\n"))),
      diagnostics_(std::move(diagnostics)) {}

InputError InputError::in_file(const std::string& file) const {
  std::vector<Diagnostic> located = diagnostics_;
  for (Diagnostic& problem : located) {
    if (problem.file.empty() && !problem.pointer.starts_with("--")) problem.file = file;
  }
  return InputError(std::move(located));
}

InputError::InputError(std::string file, std::string pointer, std::string message, std::string hint)
    : InputError(std::vector<Diagnostic>{
          {std::move(file), std::move(pointer), std::move(message), std::move(hint)}}) {}

void Diagnostics::add(std::string pointer, std::string message, std::string hint) {
  found_.push_back({file_, std::move(pointer), std::move(message), std::move(hint)});
}

void Diagnostics::throw_if_any() const {
  if (!found_.empty()) throw InputError(found_);
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  // A third of the letters may differ, at least one: "nods" is near "nodes", "gpu" not near "nic".
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::size_t nearest = limit + 1;
  std::string_view best;
  for (const std::string_view candidate : candidates) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    const std::size_t shorter = std::min(word.size(), candidate.size());
    if (longer - shorter >= nearest) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= nearest || distance >= longer) continue;
    nearest = distance;
    best = candidate;
  }
  // "dgx-h100" is two letters from dgx_a100, and means dgx_h100_ndr400.
  std::string with = nearest > 1 ? names_with(word, candidates) : "";
  if (with.empty() && nearest > 1) with = names_with_part_like(word, nearest, candidates);
  if (!with.empty() || best.empty()) return with;
  return fmt::format("did you mean '{}'?", best);
}

}  // namespace railyard::core
