#include "sim/maxmin/level_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "sim/maxmin/fluid.hpp"
#include "sim/maxmin/progressive_filling.hpp"

namespace railyard::sim {
namespace {

/// Levels that rise and links that go, at random; the queue must always hand out a lowest.
void check_order(unsigned seed, std::size_t links, bool ties) {
  std::mt19937 random(seed);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution(low, high)(random);
  };
  std::vector<double> level(links);
  for (double& l : level) l = ties ? 100.0 / pick(1, 12) : 0.01 * pick(0, 100000);
  std::vector<LinkIndex> all(links);
  std::iota(all.begin(), all.end(), 0U);
  std::shuffle(all.begin(), all.end(), random);
  const auto level_of = [&](LinkIndex link) { return level[link]; };
  LevelQueue queue(links);
  queue.begin(all, 1000, level_of);
  std::size_t left = links;
  LinkLevel found;
  while (queue.next(level_of, found)) {
    double lowest = std::numeric_limits<double>::infinity();
    for (const double l : level)
      if (l >= 0) lowest = std::min(lowest, l);
    ASSERT_EQ(found.level, lowest);
    ASSERT_EQ(found.level, level[found.link]);
    level[found.link] = -1;
    --left;
    for (int i = 0; i < 3; ++i) {
      double& risen = level[static_cast<std::size_t>(pick(0, static_cast<int>(links) - 1))];
      if (risen < 0) continue;
      const int how = pick(0, 5);
      if (how == 0) left -= 1, risen = -1;
      if (how == 1) risen += 1e-9;  // stays in its bucket
      if (how == 2) risen *= 1 + 0.01 * pick(0, 100);
      if (how == 3) risen *= 1e3;  // beyond what was announced
    }
  }
  EXPECT_EQ(left, 0U);
}

TEST(LevelQueue, HandsOutLinksByRisingLevelWhileLevelsRise) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    for (const std::size_t links : {1, 7, 33, 64, 700}) {
      check_order(seed, links, seed % 2 == 0);
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", " << links << " links";
    }
  }
}

TEST(LevelQueue, HasNothingWhereNoLinkIsLeft) {
  LevelQueue queue(3);
  const std::vector<LinkIndex> links{0, 1, 2};
  const auto gone = [](LinkIndex) { return -1.0; };
  queue.begin(links, 1, gone);
  LinkLevel found;
  EXPECT_FALSE(queue.next(gone, found));
  EXPECT_FALSE(queue.next(gone, found));
}

TEST(LevelQueue, TakesLinksWithoutCapacityFirstAndUnlimitedOnesLast) {
  std::vector<double> level(40, 5.0);
  level[17] = 0;
  level[3] = std::numeric_limits<double>::infinity();
  std::vector<LinkIndex> links(level.size());
  std::iota(links.begin(), links.end(), 0U);
  const auto level_of = [&](LinkIndex link) { return level[link]; };
  LevelQueue queue(level.size());
  queue.begin(links, 5, level_of);
  std::vector<LinkIndex> order;
  LinkLevel found;
  while (queue.next(level_of, found)) order.push_back(found.link);
  ASSERT_EQ(order.size(), level.size());
  EXPECT_EQ(order.front(), 17U);
  EXPECT_EQ(order.back(), 3U);
}

/// More links than a bucket queue needs to be one, against progressive filling.
TEST(LevelQueue, FillsHundredsOfLinksAsTheOracleDoes) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](int low, int high) {
      return std::uniform_int_distribution(low, high)(random);
    };
    const auto links = static_cast<std::size_t>(pick(40, 400));
    FillingProblem problem;
    for (std::size_t i = 0; i < links; ++i)
      problem.capacities.push_back(seed % 3 == 0 ? 50e9 : 1e9 * pick(1, 400));
    Fluid fluid(problem.capacities, {.certify = true, .folding = Shortcut::never});
    std::vector<StreamId> streams;
    for (int s = pick(20, 900); s > 0; --s) {
      std::vector<std::uint32_t> ways(links);
      std::iota(ways.begin(), ways.end(), 0U);
      std::shuffle(ways.begin(), ways.end(), random);
      FillingProblem::Stream plain;
      if (seed % 5 == 1 && pick(0, 3) == 0) plain.cap = 1e8 * pick(1, 50);
      std::vector<topology::Hop> hops;
      for (int h = pick(1, 6); h > 0; --h) {
        const double weight = seed % 2 == 0 ? 1.0 : 0.25 * pick(1, 9);
        plain.uses.push_back({ways[static_cast<std::size_t>(h)], weight});
        hops.push_back({LinkId(plain.uses.back().link), weight});
      }
      problem.streams.push_back(plain);
      streams.push_back(fluid.add({hops, 1e6, plain.cap}));
    }
    const auto rates = progressive_filling(problem);
    for (std::size_t s = 0; s < rates.size(); ++s)
      ASSERT_NEAR(fluid.rate(streams[s]), rates[s], 1e-9 * rates[s]) << "seed " << seed;
    // Equal sizes and starts: every completion by this one solve, and every byte on its links.
    double last = 0;
    while (fluid.active() > 0) {
      const auto span = fluid.advance();
      ASSERT_GE(fluid.now(), last);
      ASSERT_TRUE(std::is_sorted(span.begin(), span.end()));
      last = fluid.now();
    }
    std::vector<double> sent(links, 0.0);
    for (const auto& stream : problem.streams)
      for (const auto& use : stream.uses) sent[use.link] += use.weight * 1e6;
    for (std::size_t link = 0; link < links; ++link)
      ASSERT_NEAR(fluid.carried(LinkId(link)), sent[link], 1e-9 * sent[link]);
  }
}

}  // namespace
}  // namespace railyard::sim
