#include "placement/cost/untiled_groups.hpp"

#include <gtest/gtest.h>

namespace railyard::placement {
namespace {

// 72 = 8 x 9: 8 ranks tile a node of 72 GPUs, 16 do not (ranks 64 to 79 are on two nodes). 144
// ranks are two whole nodes.
TEST(UntiledGroups, AreThoseThatCrossNodesOnlySometimes) {
  EXPECT_EQ(untiled_groups({.pp = 6, .dp = 48, .ep = 16}, 72), "ep 16 spans 16 GPUs");
  EXPECT_EQ(untiled_groups({.tp = 2, .pp = 9, .dp = 16, .ep = 8}, 72), "ep 8 spans 16 GPUs");
  EXPECT_EQ(untiled_groups({.tp = 16, .pp = 9, .dp = 2}, 72), "tp 16 spans 16 GPUs");
  EXPECT_EQ(untiled_groups({.pp = 6, .dp = 48, .ep = 8}, 72), "");
  EXPECT_EQ(untiled_groups({.dp = 288, .ep = 144}, 72), "");
  EXPECT_EQ(untiled_groups({.tp = 8, .dp = 32, .ep = 16}, 8), "");
  EXPECT_EQ(untiled_groups({.pp = 4, .dp = 16, .ep = 16}, 72), "");
}

}  // namespace
}  // namespace railyard::placement
