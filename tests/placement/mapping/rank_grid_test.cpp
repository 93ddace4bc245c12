#include "placement/mapping/rank_grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::ThrowsMessage;

std::vector<std::uint32_t> numbers(std::span<const JobRank> ranks) {
  std::vector<std::uint32_t> values;
  for (const JobRank rank : ranks) values.push_back(rank.value());
  return values;
}

TEST(RankGrid, NumbersAsMegatronDoes) {
  // tp fastest, then dp, then pp: rank = tp + 2 (dp + 2 pp).
  const RankGrid grid = RankGrid::in_order({.tp = 2, .dp = 2, .pp = 2});
  ASSERT_EQ(grid.size(), 8u);
  EXPECT_THAT(numbers(grid.groups({GridAxis::tp})[1]), ElementsAre(2, 3));
  EXPECT_THAT(numbers(grid.groups({GridAxis::dp})[1]), ElementsAre(1, 3));
  EXPECT_THAT(numbers(grid.groups({GridAxis::pp})[3]), ElementsAre(3, 7));
  EXPECT_EQ(grid.coordinate(JobRank(6), GridAxis::tp), 0);
  EXPECT_EQ(grid.coordinate(JobRank(6), GridAxis::dp), 1);
  EXPECT_EQ(grid.coordinate(JobRank(6), GridAxis::pp), 1);
}

TEST(RankGrid, ExpertGroupsLieInsideTheDataParallelOnes) {
  // tp 2, ep 2, 2 replicas of each expert: dense layers are replicated over ep and dp.
  const RankGrid grid = RankGrid::in_order({.tp = 2, .ep = 2, .dp = 2});
  EXPECT_THAT(numbers(grid.groups({GridAxis::ep})[2]), ElementsAre(4, 6));
  EXPECT_THAT(numbers(grid.groups({GridAxis::ep, GridAxis::dp})[0]), ElementsAre(0, 2, 4, 6));
}

TEST(RankGrid, TakesAnyOrder) {
  const RankGrid grid = RankGrid::in_order({.tp = 2, .dp = 2, .pp = 3}, "pp-tp-dp");
  EXPECT_THAT(numbers(grid.groups({GridAxis::pp})[1]), ElementsAre(3, 4, 5));
  EXPECT_THAT(numbers(grid.groups({GridAxis::tp})[0]), ElementsAre(0, 3));
}

TEST(RankGrid, LaysRanksInAnOrderWithASplitAxis) {
  // rank = tp + 2 dp. Layout: the low bit of dp fastest, then tp, then the high bit of dp.
  const RankGrid grid = RankGrid::in_order({.tp = 2, .dp = 4});
  const std::vector<GridDimension> layout{{GridAxis::dp, 2}, {GridAxis::tp, 2}, {GridAxis::dp, 2}};
  EXPECT_THAT(numbers(grid.ranks_in(layout)), ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
  EXPECT_EQ(to_text(layout), "dp2-tp2-dp2");
}

TEST(RankGrid, RefusesWhatMakesNoNumbering) {
  EXPECT_THAT([] { (void)RankGrid::in_order({.tp = 2}, "tp-xp"); },
              ThrowsMessage<InputError>(HasSubstr("unknown axis 'xp'")));
  EXPECT_THAT([] { (void)RankGrid::in_order({.tp = 2}, "tp-tp"); },
              ThrowsMessage<InputError>(HasSubstr("'tp' appears twice")));
  EXPECT_THAT([] { (void)RankGrid::in_order({.tp = 2, .pp = 4}, "tp-dp"); },
              ThrowsMessage<InputError>(HasSubstr("pp is 4 but missing")));
  EXPECT_THAT([] { (void)RankGrid::in_order({.tp = 0}); },
              ThrowsMessage<InputError>(HasSubstr("at least 1, not 0")));
  const std::vector<GridDimension> layout{{GridAxis::tp, 4}};
  EXPECT_THAT([&] { (void)RankGrid::in_order({.tp = 2}).ranks_in(layout); },
              ThrowsMessage<InputError>(HasSubstr("has 4 where the grid has 2")));
}

}  // namespace
}  // namespace railyard::placement
