#include "sim/flow/message_transfers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// 8 nodes of one GPU and one NIC of 50 GB/s, 4 to a leaf. At 4:1 a leaf has one uplink of 50 GB/s,
/// at 1:1 four.
topology::Cluster two_leaves(double oversubscription) {
  return testing::cluster(8, 1, testing::leaf_spine(4, oversubscription));
}

/// 50 MB take 1 ms over a NIC.
constexpr double kMegabyte = 1e6;

MessagePart part(std::uint32_t from, std::uint32_t to, double megabytes) {
  return {.from = Rank(from), .to = Rank(to), .bytes = megabytes * kMegabyte};
}

auto near(double seconds) { return DoubleNear(seconds, 1e-9); }

/// Arrivals in seconds, by number.
std::vector<double> arrivals(MessageTransfers& transfers, std::size_t count) {
  std::vector<double> at(count);
  std::vector<std::size_t> arrived;
  for (std::size_t found = 0; found < count; found += arrived.size()) {
    arrived.clear();
    const double now = transfers.advance(std::numeric_limits<double>::infinity(), arrived);
    if (arrived.empty()) break;
    for (const std::size_t one : arrived) at[one] = now;
  }
  return at;
}

TEST(MessageTransfers, AMessageAloneRunsAtTheRateOfItsNic) {
  const topology::Cluster cluster = two_leaves(4);
  MessageTransfers transfers(cluster, 0.25);
  transfers.send(2, std::vector{part(0, 4, 50)});
  EXPECT_THAT(arrivals(transfers, 1), ElementsAre(near(2 + 0.001 + 0.25)));
}

// Two messages of 50 MB from different NICs to different NICs. One uplink of 50 GB/s: 25 GB/s each,
// 2 ms. Four uplinks: 1 ms.
TEST(MessageTransfers, MessagesOfDifferentNodesShareAnUplink) {
  for (const double oversubscription : {1.0, 4.0}) {
    const topology::Cluster cluster = two_leaves(oversubscription);
    MessageTransfers transfers(cluster);
    EXPECT_EQ(transfers.send(0, std::vector{part(0, 4, 50)}), 0u);
    EXPECT_EQ(transfers.send(0, std::vector{part(1, 5, 50)}), 1u);
    const double expected = oversubscription > 1 ? 0.002 : 0.001;
    EXPECT_THAT(arrivals(transfers, 2), ElementsAre(near(expected), near(expected)));
  }
}

// 100 MB from 0 on at 50 GB/s: 50 MB are left at 1 ms, when another 50 MB leave. Both then run at
// 25 GB/s, to 3 ms.
TEST(MessageTransfers, AMessageThatLeavesLaterSlowsTheFirst) {
  const topology::Cluster cluster = two_leaves(4);
  MessageTransfers transfers(cluster);
  std::vector<std::size_t> arrived;
  transfers.send(0, std::vector{part(0, 4, 100)});
  EXPECT_DOUBLE_EQ(transfers.advance(0.001, arrived), 0.001);
  EXPECT_THAT(arrived, IsEmpty());
  transfers.send(0.001, std::vector{part(1, 5, 50)});
  EXPECT_THAT(arrivals(transfers, 2), ElementsAre(near(0.003), near(0.003)));
}

// Within a leaf nothing is shared: 50 MB from 0 to 1 take 1 ms, 100 MB from 2 to 3 take 2 ms. The
// message of both arrives with the second.
TEST(MessageTransfers, AMessageArrivesWithItsLastPart) {
  const topology::Cluster cluster = two_leaves(1);
  MessageTransfers transfers(cluster);
  transfers.send(0, std::vector{part(0, 1, 50), part(2, 3, 100)});
  EXPECT_THAT(arrivals(transfers, 1), ElementsAre(near(0.002)));
}

}  // namespace
}  // namespace railyard::sim
