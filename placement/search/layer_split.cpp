#include "placement/search/layer_split.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

namespace railyard::placement {
namespace {

std::int64_t time_of(const StageLoad& s, int layers) {
  return s.fixed.picoseconds() + s.each.picoseconds() * layers;
}

/// Number of layers with which a stage stays within `limit` ps; least - 1 if its fewest layers
/// exceed it.
int within(const StageLoad& s, std::int64_t limit) {
  if (time_of(s, s.least) > limit || s.most < s.least) return s.least - 1;
  const std::int64_t each = std::max<std::int64_t>(1, s.each.picoseconds());
  return static_cast<int>(std::min<std::int64_t>(s.most, (limit - s.fixed.picoseconds()) / each));
}

struct Split {
  std::vector<int> layers;
  std::int64_t most = 0, sum = 0;
};

/// The fewest layers on every stage, remaining layers where a layer is fastest, no stage above
/// `limit`.
std::optional<Split> fill(std::span<const StageLoad> stages, std::span<const std::size_t> fastest,
                          int layers, std::int64_t limit) {
  Split split{.layers = std::vector<int>(stages.size())};
  int left = layers;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (within(stages[i], limit) < stages[i].least) return std::nullopt;
    left -= split.layers[i] = stages[i].least;
  }
  if (left < 0) return std::nullopt;
  for (const std::size_t i : fastest) {
    const int more = std::min(left, within(stages[i], limit) - split.layers[i]);
    split.layers[i] += more;
    left -= more;
  }
  if (left > 0) return std::nullopt;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::int64_t time = time_of(stages[i], split.layers[i]);
    split.most = std::max(split.most, time);
    split.sum += time;
  }
  return split;
}

/// All possible times of the slowest stage in ps, ascending.
std::vector<std::int64_t> limits(std::span<const StageLoad> stages, int layers) {
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const StageLoad& s = stages[i];
    const auto same = [&](const StageLoad& o) { return o.each == s.each && o.fixed == s.fixed; };
    const auto before = stages.first(i);
    if (std::any_of(before.begin(), before.end(), same)) continue;
    for (int n = s.least; n <= layers; ++n) times.push_back(time_of(s, n));
  }
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace

std::vector<int> split_layers(std::span<const StageLoad> stages, int layers, int micro_batches) {
  std::vector<std::size_t> fastest(stages.size());
  std::iota(fastest.begin(), fastest.end(), std::size_t{0});
  std::ranges::stable_sort(fastest, {}, [&](std::size_t i) { return stages[i].each; });
  const std::vector<std::int64_t> times = limits(stages, layers);
  // If the layers fit within a limit, they fit within any larger one: find the smallest by
  // bisection.
  const auto first = std::partition_point(times.begin(), times.end(), [&](std::int64_t limit) {
    return !fill(stages, fastest, layers, limit).has_value();
  });
  if (first == times.end()) return {};
  const std::int64_t least_sum = fill(stages, fastest, layers, times.back())->sum;
  const auto cost = [&](std::int64_t most, std::int64_t sum) {
    return static_cast<double>(micro_batches - 1) * static_cast<double>(most) +
           static_cast<double>(sum);
  };
  Split best = *fill(stages, fastest, layers, *first);
  for (auto limit = first + 1; limit != times.end(); ++limit) {
    if (cost(*limit, least_sum) >= cost(best.most, best.sum)) break;
    const Split other = *fill(stages, fastest, layers, *limit);
    if (cost(other.most, other.sum) < cost(best.most, best.sum)) best = other;
  }
  return best.layers;
}

}  // namespace railyard::placement
