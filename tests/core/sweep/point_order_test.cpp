#include "core/sweep/point_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/sweep/error_of.hpp"

namespace railyard::core::sweep {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PointOrder, LongPointsComeFirstAndEqualOnesInTheirOrder) {
  const std::vector<double> costs{1, 8, 2, 8, 1};
  EXPECT_THAT(missing_points(costs, std::vector<bool>(5, false), {}), ElementsAre(1, 3, 2, 0, 4));
}

TEST(PointOrder, AShardIsTheSameWhateverIsDone) {
  // The order is 4 3 2 1 0; of two shards the second has 3 and 1.
  const std::vector<double> costs{1, 2, 3, 4, 5};
  const Shard second{.number = 1, .count = 2};
  EXPECT_THAT(missing_points(costs, std::vector<bool>(5, false), second), ElementsAre(3, 1));
  EXPECT_THAT(missing_points(costs, {false, false, false, true, true}, second), ElementsAre(1));
  EXPECT_THAT(missing_points(costs, std::vector<bool>(5, true), second), IsEmpty());
}

TEST(PointOrder, AShardIsReadAndItsNumberIsBelowTheirCount) {
  const Shard shard = parse_shard("3/16", "--shard");
  EXPECT_EQ(shard.number, 3U);
  EXPECT_EQ(shard.count, 16U);
  for (const char* text : {"", "3", "3/", "/16", "16/16", "0/0", "-1/4", "1/4x", "1 /4"})
    EXPECT_THAT(error_of([&] { (void)parse_shard(text, "--shard"); }),
                HasSubstr("I/N with I from 0 to N-1"))
        << text;
}

}  // namespace
}  // namespace railyard::core::sweep
