#include "apps/cli/remaining_time.hpp"

#include <gtest/gtest.h>

namespace railyard::apps {
namespace {

// Seconds up to a minute and a half, minutes up to one and a half hours.
TEST(RemainingTime, TheUnitGrowsWithTheTime) {
  EXPECT_EQ(remaining_text(0.4), "0 s");
  EXPECT_EQ(remaining_text(89), "89 s");
  EXPECT_EQ(remaining_text(300), "5 min");
  EXPECT_EQ(remaining_text(9000), "2.5 h");
}

}  // namespace
}  // namespace railyard::apps
