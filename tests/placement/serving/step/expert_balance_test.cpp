#include "placement/serving/step/expert_balance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace railyard::placement::serving {
namespace {

TEST(ExpertBalance, PopularitiesAreIntegralsOfTheSkew) {
  // Skew 0.5: 4 sqrt(i/4) is 2, 2.828, 3.464 and 4.
  const auto loads = expert_popularity(4, 0.5);
  ASSERT_EQ(loads.size(), 4U);
  EXPECT_DOUBLE_EQ(loads[0], 2);
  EXPECT_NEAR(loads[1], 2 * std::sqrt(2.0) - 2, 1e-12);
  EXPECT_NEAR(loads[3], 4 - 2 * std::sqrt(3.0), 1e-12);
}

TEST(ExpertBalance, CopiesGoToTheMostLoadedExpertAndTheLeastLoadedRank) {
  // Loads 4, 2, 1, 1 on two ranks, in falling order: A gets 4, B 2 and 1, and A the last 1, as B
  // is full: 5 of a mean of 4.
  const std::vector<double> loads{4, 2, 1, 1};
  EXPECT_DOUBLE_EQ(balanced_load(loads, 2, 0), 5.0 / 4);
  // Two copies: 4/3 three times, 2, 1, 1. A gets 2, B 4/3 twice, A 4/3, B 1 (full), A 1: 13/3.
  EXPECT_NEAR(balanced_load(loads, 2, 2), 13.0 / 12, 1e-12);
}

TEST(ExpertBalance, RandomPlacementIsTheMeanOverPlacements) {
  // 3, 1, 1, 1 on two ranks: the popular one always has one neighbour of 1, so 4 of a mean of 3.
  const std::vector<double> loads{3, 1, 1, 1};
  EXPECT_DOUBLE_EQ(unbalanced_load(loads, 2), 4.0 / 3);
}

TEST(ExpertBalance, FewerExpertsPerRankAreLessBalanced) {
  const auto loads = expert_popularity(256, 0.46);
  EXPECT_GT(unbalanced_load(loads, 64), 1.5 * unbalanced_load(loads, 8));
  EXPECT_LT(balanced_load(loads, 64, 64), unbalanced_load(loads, 8));
}

}  // namespace
}  // namespace railyard::placement::serving
