#include "placement/search/layer_split.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <numeric>
#include <random>

namespace railyard::placement {
namespace {

StageLoad load(std::int64_t each, std::int64_t fixed, int most = 100) {
  return {.each = Time::picoseconds(each), .fixed = Time::picoseconds(fixed), .most = most};
}

// A layer takes 2 on the first stage and 1 on the second. Six layers: with many micro-batches the
// slower stage counts, 2·2 = 4·1; with one the sum, least with one layer on the slow stage; with
// room for three on the second the first has the rest.
TEST(LayerSplit, TwoStagesByHand) {
  const std::vector<StageLoad> stages{load(2, 0), load(1, 0)};
  EXPECT_EQ(split_layers(stages, 6, 100), (std::vector<int>{2, 4}));
  EXPECT_EQ(split_layers(stages, 6, 1), (std::vector<int>{1, 5}));
  EXPECT_EQ(split_layers(std::vector{load(2, 0), load(1, 0, 3)}, 6, 100), (std::vector<int>{3, 3}));
  EXPECT_TRUE(split_layers(std::vector{load(2, 0, 2), load(1, 0, 3)}, 6, 100).empty());
  // A head of 2 layers' worth on the second: 3·2 = 6, 3·1 + 2 = 5; 2·2 and 4 + 2 are 6 too, and
  // together less.
  EXPECT_EQ(split_layers(std::vector{load(2, 0), load(1, 2)}, 6, 100), (std::vector<int>{2, 4}));
}

/// The least cost of all ways to deal the layers.
std::int64_t least_cost(const std::vector<StageLoad>& stages, int layers, int m) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::vector<int> dealt;
  const std::function<void(int)> deal = [&](int left) {
    if (dealt.size() == stages.size()) {
      if (left > 0) return;
      std::int64_t most = 0, sum = 0;
      for (std::size_t i = 0; i < stages.size(); ++i) {
        const auto time = (stages[i].fixed + stages[i].each * dealt[i]).picoseconds();
        most = std::max(most, time);
        sum += time;
      }
      least = std::min(least, (m - 1) * most + sum);
      return;
    }
    for (int n = 1; n <= std::min(left, stages[dealt.size()].most); ++n) {
      dealt.push_back(n);
      deal(left - n);
      dealt.pop_back();
    }
  };
  deal(layers);
  return least;
}

TEST(LayerSplit, NoWayOfAllIsBetter) {
  std::mt19937 random(7);
  const auto any = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<StageLoad> stages;
    for (int i = any(1, 4); i > 0; --i) stages.push_back(load(any(1, 9), any(0, 9), any(1, 12)));
    const int layers = any(static_cast<int>(stages.size()), 14), m = any(1, 20);
    const std::int64_t least = least_cost(stages, layers, m);
    const std::vector<int> split = split_layers(stages, layers, m);
    if (split.empty()) {
      EXPECT_EQ(least, std::numeric_limits<std::int64_t>::max());
      continue;
    }
    EXPECT_EQ(std::accumulate(split.begin(), split.end(), 0), layers);
    std::int64_t most = 0, sum = 0;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      EXPECT_LE(split[i], stages[i].most);
      const auto time = (stages[i].fixed + stages[i].each * split[i]).picoseconds();
      most = std::max(most, time);
      sum += time;
    }
    EXPECT_EQ((m - 1) * most + sum, least) << "round " << round;
  }
}

}  // namespace
}  // namespace railyard::placement
