#include "collectives/workload/rank_text.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace railyard::collectives {
namespace {

/// The number of ranks from `begin` on that are ascending with equal distances.
std::size_t even_run(std::span<const std::uint32_t> ranks, std::size_t begin) {
  if (begin + 1 >= ranks.size() || ranks[begin + 1] <= ranks[begin]) return 1;
  const std::uint32_t stride = ranks[begin + 1] - ranks[begin];
  std::size_t end = begin + 2;
  while (end < ranks.size() && ranks[end] > ranks[end - 1] && ranks[end] - ranks[end - 1] == stride)
    ++end;
  const std::size_t count = end - begin;
  // Two ranks with a gap are not written as a range, because the second may begin one.
  return count == 2 && stride > 1 ? 1 : count;
}

}  // namespace

std::string rank_text(std::span<const std::uint32_t> ranks) {
  constexpr std::size_t kMostParts = 8;
  std::string text;
  std::size_t part = 0;
  for (std::size_t i = 0; i < ranks.size(); ++part) {
    if (part == kMostParts) return text + ",...";
    if (part > 0) text += ',';
    const std::size_t count = even_run(ranks, i);
    text += fmt::format("{}", ranks[i]);
    if (count > 1) {
      const std::uint32_t stride = ranks[i + 1] - ranks[i];
      text += fmt::format("-{}", ranks[i + count - 1]);
      if (stride > 1) text += fmt::format(":{}", stride);
    }
    i += count;
  }
  return text;
}

}  // namespace railyard::collectives
