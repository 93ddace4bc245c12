#include <gtest/gtest.h>

#include "collectives/nccl/timing/p2p_plan.hpp"
#include "tests/collectives/nccl_cases.hpp"

namespace railyard::collectives::nccl {
namespace {

constexpr std::int64_t kKiB = 1024, kMiB = 1024 * kKiB;

P2pPlan plan(const Communicator& c, std::int64_t bytes, bool network) {
  return plan_p2p(c, {}, bytes, network);
}

// 16 ranks, 16 p2p channels, 4 per peer: an operation starts with one channel (4 * 16 and 2 * 16
// exceed 16) and doubles while a part exceeds the step of 128 KiB.
TEST(NcclP2pPlan, ChannelsDoubleUntilPartsFitAStep) {
  const Communicator c = dgx_h100(2);
  EXPECT_EQ(plan(c, 64 * kKiB, true).channels, 1);
  EXPECT_EQ(plan(c, 128 * kKiB, true).channels, 1);
  EXPECT_EQ(plan(c, 128 * kKiB + 1, true).channels, 2);
  EXPECT_EQ(plan(c, 512 * kKiB, true).channels, 4);
  EXPECT_EQ(plan(c, 512 * kMiB, true).channels, 4);
  EXPECT_EQ(plan(c, 0, true).channels, 1);
}

TEST(NcclP2pPlan, SmallMessagesOnTheNetworkGoInSmallerChunks) {
  const Communicator c = dgx_h100(2);
  EXPECT_EQ(plan(c, 128 * kKiB - 1, true).chunk, 32 * kKiB);
  EXPECT_EQ(plan(c, 128 * kKiB, true).chunk, 64 * kKiB);
  EXPECT_EQ(plan(c, kMiB, true).chunk, 128 * kKiB);
  EXPECT_EQ(plan(c, kMiB, true).protocol, Protocol::simple);
  EXPECT_EQ(plan(c, 8, true).protocol, Protocol::simple);
}

// One node: 8 ranks, 32 channels, 32 per peer; starts with 4 channels of at least 64 KiB, and
// doubles from 16 MiB a channel on.
TEST(NcclP2pPlan, InsideANodeStepsAreLargeAndLlCarriesSmallMessages) {
  const Communicator c = dgx_h100(1);
  EXPECT_EQ(p2p_step(c, {}), 512 * kKiB);
  EXPECT_EQ(plan(c, 16 * kKiB, false).channels, 1);
  EXPECT_EQ(plan(c, 16 * kKiB, false).protocol, Protocol::ll);
  EXPECT_EQ(plan(c, 16 * kKiB, false).chunk, 32 * kKiB);
  EXPECT_EQ(plan(c, 16 * kKiB + 1, false).protocol, Protocol::simple);
  // 65 KiB: two channels, more than their 32 KiB of LL.
  EXPECT_EQ(plan(c, 65 * kKiB, false).channels, 2);
  EXPECT_EQ(plan(c, 65 * kKiB, false).protocol, Protocol::simple);
  EXPECT_EQ(plan(c, 64 * kMiB, false).channels, 4);
  EXPECT_EQ(plan(c, 64 * kMiB + 1, false).channels, 8);
}

TEST(NcclP2pPlan, TheSlowestKindOfLinkSetsTheStepAndVariablesChangeIt) {
  Communicator c = dgx_h100(1);
  c.graphs[0]->type_intra = PathType::sys;
  EXPECT_EQ(p2p_step(c, {}), 128 * kKiB);
  P2pSettings settings;
  settings.pcie_chunk = 64 * kKiB;
  EXPECT_EQ(p2p_step(c, settings), 64 * kKiB);
  settings.net_chunk = 256 * kKiB;
  EXPECT_EQ(p2p_step(dgx_h100(4), settings), 256 * kKiB);
  // Never more than a slot of the 4 MiB buffer.
  settings.net_chunk = 2 * kMiB;
  EXPECT_EQ(p2p_step(dgx_h100(4), settings), 512 * kKiB);
}

}  // namespace
}  // namespace railyard::collectives::nccl
