#include "placement/mapping/background.hpp"

#include <gtest/gtest.h>

#include "placement/mapping/link_trunks.hpp"
#include "placement/mapping/routed_score.hpp"
#include "tests/placement/mapping_cases.hpp"

namespace railyard::placement {
namespace {

using namespace testing;
using namespace literals;
using namespace topology::testing;

// Nodes of 50 GB/s NICs, two to a leaf. A ring of 10 GB/s over GPU 0 of nodes 0 and 1 leaves 40 of
// their ports; of 40 GB/s it leaves the half that a fair share is. Uplinks stay as they were.
TEST(Background, TakesWhatOthersSendButNeverMoreThanHalf) {
  const topology::Cluster cluster = small_cluster(without_headers(leaf_spine(2)), 4, 1);
  const Tiers tiers(cluster);
  const auto left = [&](Bytes each) {
    RankGroups groups;
    const std::vector<JobRank> ranks{JobRank(0), JobRank(1)};
    groups.add(ranks);
    const Traffic traffic{TrafficPattern::ring, groups, each};
    return available_bandwidth(tiers, {&traffic, 1}, true);
  };
  EXPECT_DOUBLE_EQ(left(10_GB)[tiers.port_up(0)], 40e9);
  EXPECT_DOUBLE_EQ(left(40_GB)[tiers.port_up(1)], 25e9);
  EXPECT_DOUBLE_EQ(left(40_GB)[tiers.port_up(2)], 50e9);
  EXPECT_DOUBLE_EQ(left(40_GB)[tiers.leaf_up(0)], tiers.bandwidth()[tiers.leaf_up(0)]);
}

// The same by link. Nodes of one GPU, two to a leaf with two uplinks of 50 GB/s to each of two
// spines' one: a ring over nodes 0 and 2 sends 10 GB/s over each leaf's 100 GB/s: 0.9 is left of
// both uplinks, 0.8 of the ports; nothing is taken from the other nodes' ports.
TEST(Background, IsSharedByTheLinksOfATrunk) {
  const topology::Cluster cluster = small_cluster(without_headers(leaf_spine(2)), 4, 1);
  const Tiers tiers(cluster);
  RankGroups groups;
  const std::vector<JobRank> ranks{JobRank(0), JobRank(2)};
  groups.add(ranks);
  const Traffic traffic{TrafficPattern::ring, groups, 10_GB};
  const auto left = left_of_links(tiers, available_bandwidth(tiers, {&traffic, 1}, true));
  const std::vector<TrunkId> trunks = link_trunks(tiers);
  int uplinks = 0;
  for (std::size_t l = 0; l < left.size(); ++l) {
    ASSERT_FALSE(trunks[l].is_none()) << cluster.name(LinkId(l));
    const TrunkTier tier = tiers.tier(trunks[l]);
    if (tier == TrunkTier::port) {
      const bool is_used = trunks[l].index() % 2 == tiers.port_up(0) % 2;  // NICs 0 and 2
      EXPECT_DOUBLE_EQ(left[l], is_used ? 0.8 : 1.0) << cluster.name(LinkId(l));
    }
    if (tier != TrunkTier::leaf) continue;
    ++uplinks;
    const double whole = tiers.bandwidth()[trunks[l].index()];
    EXPECT_DOUBLE_EQ(left[l], (whole - 10e9) / whole) << cluster.name(LinkId(l));
  }
  EXPECT_GT(uplinks, 0);
}

// A chain of 10 GB over the port of a NIC (50 GB/s), of which others leave half: 0.4 s, not 0.2.
TEST(Background, SlowsWhatIsRouted) {
  const topology::Cluster cluster = small_cluster(without_headers(leaf_spine(2)), 4, 1);
  const Tiers tiers(cluster);
  const TrafficPhase phase{
      .name = "pp",
      .traffic = {{TrafficPattern::chain, RankGroups({JobRank(0), JobRank(1)}, 2), 10_GB}}};
  std::vector<double> available(tiers.bandwidth().begin(), tiers.bandwidth().end());
  available[tiers.port_up(0)] /= 2;
  const auto left = left_of_links(tiers, available);
  RoutedScore routed(tiers, {&phase, 1}, {}, {.left_of_links = left});
  EXPECT_NEAR(routed(Mapping{{Rank(0), Rank(1)}}), 0.4, 1e-9);
}

}  // namespace
}  // namespace railyard::placement
