#include "sim/flow/sampled_spread.hpp"

#include <gtest/gtest.h>

#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;

class SampledSpread : public ::testing::Test {
 protected:
  topology::Cluster cluster_ = testing::cluster(4, 2, leaf_spine(2));
  LinkId first_ = testing::link(cluster_, "pod0/leaf0 -> pod0/spine0");
  LinkId second_ = testing::link(cluster_, "pod0/leaf0 -> pod0/spine1");

  [[nodiscard]] std::vector<double> loads(double first, double second) const {
    std::vector<double> loads(cluster_.link_count(), 0.0);
    loads[first_.index()] = first;
    loads[second_.index()] = second;
    return loads;
  }
};

// A hundredth of the transfers put 8 and 2 on two links, evenly 4 and 6: the means are 400 and 600
// of all, and what exceeds them grows by 10: 440 and 560.
TEST_F(SampledSpread, OfHashesGrowsWithTheSquareRoot) {
  const auto all = scaled_up(cluster_, LinkId(0), {0.01, loads(8, 2), loads(4, 6)}, std::nullopt);
  EXPECT_NEAR(all[first_.index()], 440, 1e-9);
  EXPECT_NEAR(all[second_.index()], 560, 1e-9);
}

// At a quarter of the sample the deviations were as large (2): they do not grow, and all load the
// links with 402 and 398. If they had been half as large they grew like a square root.
TEST_F(SampledSpread, OfPathsThatKnowEarlierOnesGrowsAsItDidInTheSample) {
  const SpreadSample sample{0.01, loads(6, 2), loads(4, 4)};
  const SpreadSample equal{0.0025, loads(3, -1), loads(1, 1)};
  const SpreadSample smaller{0.0025, loads(2, 0), loads(1, 1)};
  EXPECT_NEAR(scaled_up(cluster_, LinkId(0), sample, equal)[first_.index()], 402, 1e-9);
  EXPECT_NEAR(scaled_up(cluster_, LinkId(0), sample, smaller)[first_.index()], 420, 1e-9);
}

TEST_F(SampledSpread, TheMeanOfAKindLeavesOutLinksWithoutTraffic) {
  const auto means = means_of_kinds(cluster_, LinkId(0), loads(3, 5));
  EXPECT_EQ(means[first_.index()], 4);
  EXPECT_EQ(means[second_.index()], 4);
  const LinkId other = testing::link(cluster_, "pod0/leaf1 -> pod0/spine0");
  EXPECT_EQ(means[other.index()], 0);
}

}  // namespace
}  // namespace railyard::sim
