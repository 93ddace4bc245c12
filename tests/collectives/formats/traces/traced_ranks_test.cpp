#include "collectives/formats/traces/traced_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "collectives/workload/rank_text.hpp"

namespace railyard::collectives {
namespace {

using Groups = std::vector<std::vector<std::uint32_t>>;
using Ranks = std::vector<std::uint32_t>;

// The example of the header: ranks 4 apart in blocks of 16.
TEST(TracedRanks, GroupsOfAGridRepeat) {
  const TracedRanks ranks({0}, 16);
  FamilyTable families(ranks);
  const std::uint32_t family = families.family("dp", {1, 5, 9, 13});
  EXPECT_EQ(families.family("dp", {2, 6, 10, 14}), family) << "its sister";
  EXPECT_NE(families.family("other", {1, 5, 9, 13}), family) << "another communicator";
  EXPECT_EQ(families.family("tp", {4, 5, 6, 7}), families.family("tp", {8, 9, 10, 11}));
  EXPECT_EQ(families.take()[family].groups,
            (Groups{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}}));
}

TEST(TracedRanks, GroupsThatDoNotRepeatNeedAllTraces) {
  const TracedRanks one({0}, 8);
  FamilyTable some(one);
  EXPECT_THROW((void)some.family("", {0, 1, 2}), std::invalid_argument) << "8 is no multiple of 3";
  EXPECT_THROW((void)some.family("", {0, 1, 4, 5}), std::invalid_argument);
  EXPECT_THROW((void)some.family("", {0, 8}), std::invalid_argument);
  const TracedRanks all({0, 1, 2, 3}, 4);
  FamilyTable every(all);
  EXPECT_EQ(every.family("", {0, 3, 1}), 0U);
  EXPECT_THROW((void)every.family("", {0, 0}), std::invalid_argument);
  EXPECT_EQ(every.take()[0].groups, (Groups{{0, 3, 1}}));
}

TEST(TracedRanks, RanksWithoutATraceRunAsTheNearestBelow) {
  const TracedRanks ranks({2, 5}, 8);
  const auto roles = ranks.roles();
  ASSERT_EQ(roles.size(), 2U);
  EXPECT_EQ(roles[0].ranks, (Ranks{0, 1, 2, 3, 4}));
  EXPECT_EQ(roles[1].ranks, (Ranks{5, 6, 7}));
  EXPECT_THAT(ranks.note(), ::testing::HasSubstr("6 of 8 ranks have no trace"));
  EXPECT_EQ(TracedRanks({0, 1}, 2).note(), "");
}

TEST(RankText, FoldsRunsAsTheCommandLineReadsThem) {
  EXPECT_EQ(rank_text(Ranks{}), "");
  EXPECT_EQ(rank_text(Ranks{4}), "4");
  EXPECT_EQ(rank_text(Ranks{0, 1}), "0-1");
  EXPECT_EQ(rank_text(Ranks{0, 8, 16, 24}), "0-24:8");
  EXPECT_EQ(rank_text(Ranks{0, 1, 2, 3, 16, 17}), "0-3,16-17");
  EXPECT_EQ(rank_text(Ranks{3, 9}), "3,9");
  EXPECT_EQ(rank_text(Ranks{9, 0, 5, 1, 7, 2, 6, 3, 4}), "9,0,5,1,7,2,6,3-4");
  EXPECT_EQ(rank_text(Ranks{9, 0, 5, 1, 7, 2, 6, 3, 8, 4}), "9,0,5,1,7,2,6,3,...");
}

}  // namespace
}  // namespace railyard::collectives
