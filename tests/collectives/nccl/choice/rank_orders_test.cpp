#include "collectives/nccl/choice/rank_orders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "collectives/nccl/choice/p2p_sends.hpp"

namespace railyard::collectives::nccl {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Stands for the analytic engine, which neither orders nor sends need.
class NoEngine final : public Executor {
 public:
  [[nodiscard]] std::string_view name() const override { return "analytic"; }
  [[nodiscard]] Run run(std::span<const Task>) override { throw std::logic_error("not asked"); }
};

/// Nodes of eight H100 as NCCL sees them.
struct Nodes {
  explicit Nodes(int nodes)
      : cluster(topology::build_cluster(topology::read_cluster("dgx_h100_ndr400", nodes))),
        chooser(cluster, engine, {}),
        group(std::make_shared<const Group>(Group::first(cluster, cluster.rank_count()))) {}
  [[nodiscard]] ChoiceRequest request(Kind kind) const {
    return {
        .group = group, .collective = {.kind = kind, .bytes = {}}, .protocol = {}, .channels = {}};
  }
  NoEngine engine{};
  topology::Cluster cluster;
  Chooser chooser;
  std::shared_ptr<const Group> group;
};

TEST(RankOrders, RingsAndTreesAreListedAndAllToAllStartsAtARank) {
  Nodes two(2);
  const std::vector<RankOrder> orders = rank_orders(two.chooser, two.request(Kind::all_reduce));
  ASSERT_GE(orders.size(), 2U);
  EXPECT_THAT(orders.front().channels, StartsWith("Ring 00"));
  EXPECT_THAT(orders.front().order, HasSubstr("15"));
  EXPECT_TRUE(std::ranges::any_of(
      orders, [](const RankOrder& one) { return one.channels.starts_with("Tree 00"); }));
  const std::vector<RankOrder> visits = rank_orders(two.chooser, two.request(Kind::all_to_all));
  ASSERT_EQ(visits.size(), 1U);
  EXPECT_EQ(visits[0].channels, "Sends of the first rank");
}

// 16 ranks: 7 peers on the node, 8 across the network; 16 MiB are 1 MiB to each.
TEST(P2pSends, OfAnAllToAllReachEveryPeer) {
  Nodes two(2);
  const std::vector<Bytes> sizes{Bytes(16 << 20)};
  std::int64_t peers = 0;
  for (const P2pSends& sends : p2p_sends(two.chooser, two.request(Kind::all_to_all), sizes)) {
    EXPECT_EQ(sends.message, 1 << 20);
    EXPECT_GT(sends.plan.channels, 0);
    peers += sends.kind.count;
  }
  EXPECT_EQ(peers, 15);
}

}  // namespace
}  // namespace railyard::collectives::nccl
