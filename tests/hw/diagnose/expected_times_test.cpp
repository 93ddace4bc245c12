#include "hw/diagnose/expected_times.hpp"

#include <gtest/gtest.h>

namespace railyard::hw {
namespace {

TEST(ExpectedTimes, AreThoseOfTheTimeModelAndNoneForUnknownCollectives) {
  const std::vector<ExpectedTest> tests{
      {.collective = "all_reduce", .gpus_per_node = 8, .bytes = Bytes(1 << 20)},
      {.collective = "all_reduce", .gpus_per_node = 8, .bytes = Bytes(1 << 30)},
      {.collective = "gather", .gpus_per_node = 8, .bytes = Bytes(1 << 20)}};
  const auto times = expected_times("dgx_h100_ndr400", tests);
  ASSERT_EQ(times.size(), 3U);
  ASSERT_TRUE(times[0] && times[1]);
  // 2 · 15/16 · 1 GiB at most at the rate of 8 NICs of 50 GB/s, plus what NVLink adds.
  EXPECT_GT(times[1]->seconds(), 2 * 15.0 / 16 * 1.073741824 / 480);
  EXPECT_LT(times[1]->seconds(), 2 * 15.0 / 16 * 1.073741824 / 200);
  EXPECT_LT(*times[0], *times[1]);
  EXPECT_FALSE(times[2]);
}

}  // namespace
}  // namespace railyard::hw
