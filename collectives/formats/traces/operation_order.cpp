#include "collectives/formats/traces/operation_order.hpp"

#include <algorithm>
#include <queue>

namespace railyard::collectives {
namespace {

/// Finds operations that wait for each other. Starts at an unfinished operation and follows
/// predecessors until one repeats.
std::vector<std::uint32_t> find_circle(
    std::uint32_t count, std::span<const std::pair<std::uint32_t, std::uint32_t>> edges,
    const std::vector<std::uint32_t>& waiting) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> earlier(count, kNone);
  for (const auto& [from, to] : edges)
    if (waiting[from] > 0 && waiting[to] > 0) earlier[to] = from;
  std::uint32_t at = 0;
  while (waiting[at] == 0) ++at;
  for (std::uint32_t i = 0; i < count; ++i) at = earlier[at];
  std::vector<std::uint32_t> circle{at};
  for (std::uint32_t other = earlier[at]; other != at; other = earlier[other])
    circle.push_back(other);
  std::reverse(circle.begin(), circle.end());
  std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end()), circle.end());
  return circle;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> issue_order(
    std::uint32_t count, std::span<const std::pair<std::uint32_t, std::uint32_t>> edges,
    std::vector<std::uint32_t>& circle) {
  std::vector<std::uint32_t> waiting(count, 0), begin(count + 1, 0);
  for (const auto& [from, to] : edges) {
    ++waiting[to];
    ++begin[from + 1];
  }
  for (std::uint32_t i = 0; i < count; ++i) begin[i + 1] += begin[i];
  std::vector<std::uint32_t> later(edges.size()), place(begin.begin(), begin.end() - 1);
  for (const auto& [from, to] : edges) later[place[from]++] = to;

  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < count; ++i)
    if (waiting[i] == 0) ready.push(i);
  std::vector<std::uint32_t> order;
  order.reserve(count);
  while (!ready.empty()) {
    const std::uint32_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (std::uint32_t i = begin[next]; i < begin[next + 1]; ++i)
      if (--waiting[later[i]] == 0) ready.push(later[i]);
  }
  if (order.size() == count) return order;
  circle = find_circle(count, edges, waiting);
  return std::nullopt;
}

}  // namespace railyard::collectives
