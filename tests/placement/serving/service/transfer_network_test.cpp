#include "placement/serving/service/transfer_network.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace railyard::placement::serving {
namespace {

TEST(NicTransfers, AReplicaSendsAndReceivesOneCacheAtATime) {
  // 10 tokens take 0.5 + 10 · 0.01 = 0.6 s. The second waits for the sender, the third for the
  // second's receiver, the fourth for none.
  NicTransfers network(0.5, 0.01);
  network.send(1, {.request = 0, .from = 0, .to = 0, .tokens = 10});
  network.send(1, {.request = 1, .from = 0, .to = 1, .tokens = 10});
  network.send(1, {.request = 2, .from = 1, .to = 1, .tokens = 10});
  network.send(1, {.request = 3, .from = 2, .to = 2, .tokens = 20});
  std::vector<CacheTransfer> arrived;
  EXPECT_DOUBLE_EQ(network.advance(1.2, arrived), 1.2);
  EXPECT_TRUE(arrived.empty());
  const double never = std::numeric_limits<double>::infinity();
  for (const auto& [time, request] :
       {std::pair{1.6, 0U}, std::pair{1.7, 3U}, std::pair{2.2, 1U}, std::pair{2.8, 2U}}) {
    arrived.clear();
    EXPECT_NEAR(network.advance(never, arrived), time, 1e-12);
    ASSERT_EQ(arrived.size(), 1U);
    EXPECT_EQ(arrived[0].request, request);
  }
  arrived.clear();
  EXPECT_EQ(network.advance(never, arrived), never);
}

}  // namespace
}  // namespace railyard::placement::serving
