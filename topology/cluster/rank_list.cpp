#include "topology/cluster/rank_list.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>

namespace railyard::topology {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// First, last and stride of "A", "A-B" or "A-B:S".
struct Range {
  std::uint64_t first = 0, last = 0, stride = 1;
};

std::optional<Range> range(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view ends = text.substr(0, colon);
  const std::size_t dash = ends.find('-');
  const auto first = number(ends.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number(ends.substr(dash + 1));
  const auto stride = colon == std::string_view::npos ? std::optional<std::uint64_t>(1)
                                                      : number(text.substr(colon + 1));
  if (!first || !last || !stride || *stride == 0 || *last < *first) return std::nullopt;
  return Range{*first, *last, *stride};
}

}  // namespace

core::Parsed<std::vector<Rank>> parse_ranks(std::string_view text, std::size_t count) {
  std::vector<Rank> ranks;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const auto found = range(item);
    if (!found) {
      return {
          std::nullopt,
          fmt::format("'{}' is not a list of ranks; write it as '0-7,16-23' or '0-63:8'", text)};
    }
    if (found->last >= count) {
      return {std::nullopt, fmt::format("rank {} does not exist; the cluster has ranks 0 to {}",
                                        found->last, count - 1)};
    }
    for (std::uint64_t rank = found->first; rank <= found->last; rank += found->stride) {
      ranks.emplace_back(static_cast<std::uint32_t>(rank));
    }
    if (comma == std::string_view::npos) return {std::move(ranks), {}};
    rest.remove_prefix(comma + 1);
  }
}

std::string rank_list_text(std::span<const Rank> ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1].value() == ranks[last].value() + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", ranks[i].value());
    if (last > i) text += fmt::format("-{}", ranks[last].value());
    i = last + 1;
  }
  return text;
}

}  // namespace railyard::topology
