#include "core/sweep/point_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

#include "core/diagnostic.hpp"

namespace railyard::core::sweep {

Shard parse_shard(const std::string& text, const std::string& flag) {
  const std::size_t slash = text.find('/');
  Shard shard;
  const auto read = [](std::string_view digits, std::size_t& number) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  const std::string_view all = text;
  if (slash == std::string::npos || !read(all.substr(0, slash), shard.number) ||
      !read(all.substr(slash + 1), shard.count) || shard.number >= shard.count)
    throw InputError("", flag, fmt::format("'{}' is not a shard", text),
                     "I/N with I from 0 to N-1: 0/16");
  return shard;
}

std::vector<std::size_t> missing_points(std::span<const double> costs,
                                        const std::vector<bool>& is_done, const Shard& shard) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i % shard.count == shard.number && !is_done[order[i]]) missing.push_back(order[i]);
  return missing;
}

}  // namespace railyard::core::sweep
