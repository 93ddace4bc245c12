#include "collectives/schedule/seed_spread.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace railyard::collectives {
namespace {

std::vector<Measurement> runs_of(const std::vector<int>& microseconds) {
  std::vector<Measurement> runs;
  for (const int time : microseconds) {
    runs.push_back({});
    runs.back().time = Time::microseconds(time);
    runs.back().seed = runs.size();
  }
  return runs;
}

TEST(SeedSpread, TheMedianIsARunOfItsOwn) {
  const SeedSpread spread = spread_of(runs_of({50, 10, 20, 40, 30}));
  EXPECT_EQ(spread.median.time, Time::microseconds(30));
  EXPECT_EQ(spread.median.seed, 5U);
  EXPECT_EQ(spread.number, 4U);
  EXPECT_EQ(spread.least, Time::microseconds(10));
  EXPECT_EQ(spread.most, Time::microseconds(50));
  EXPECT_DOUBLE_EQ(spread.spread_pct(), 100.0 * 40 / 30);
}

TEST(SeedSpread, OfTwoMiddleRunsTheFasterIsTaken) {
  EXPECT_EQ(spread_of(runs_of({40, 10, 30, 20})).median.time, Time::microseconds(20));
}

TEST(SeedSpread, OneRunHasNoSpread) {
  EXPECT_EQ(spread_of(runs_of({7})).spread_pct(), 0);
  EXPECT_EQ(spread_of(runs_of({0})).spread_pct(), 0);
}

}  // namespace
}  // namespace railyard::collectives
