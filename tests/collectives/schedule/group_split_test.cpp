#include "collectives/schedule/group_split.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/collectives/test_clusters.hpp"

namespace railyard::collectives {
namespace {

using ::testing::ElementsAre;
using Ranks = std::vector<Rank>;

class Split : public ::testing::Test {
 protected:
  const topology::Cluster cluster = testing::make_cluster({}, 1);
  /// Not in the order of ranks: groups follow places.
  const Group group{cluster, {Rank(6), Rank(5), Rank(4), Rank(3), Rank(2)}};
};

TEST_F(Split, NeighboursStayTogetherAndTheLastGroupHasTheRest) {
  EXPECT_THAT(split_ranks(group, GroupSplit::neighbours, 2),
              ElementsAre(Ranks{Rank(6), Rank(5)}, Ranks{Rank(4), Rank(3)}, Ranks{Rank(2)}));
}

TEST_F(Split, StridedGroupsTakeEveryNthRank) {
  EXPECT_THAT(split_ranks(group, GroupSplit::strided, 2),
              ElementsAre(Ranks{Rank(6), Rank(4), Rank(2)}, Ranks{Rank(5), Rank(3)}));
}

TEST_F(Split, NoGroupIsEmpty) {
  EXPECT_THAT(split_ranks(group, GroupSplit::neighbours, 9), ElementsAre(::testing::SizeIs(5)));
  EXPECT_THAT(split_ranks(group, GroupSplit::strided, 9), ::testing::SizeIs(5));
}

}  // namespace
}  // namespace railyard::collectives
