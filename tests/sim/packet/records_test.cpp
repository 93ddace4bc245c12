#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/diagnostic.hpp"
#include "sim/packet/packet_network.hpp"
#include "tests/sim/packet/roce_fabric.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace railyard::literals;
using namespace sim::testing;
using packet::PacketOptions;
using topology::FabricKind;

class PacketRecordsOfAnIncast : public ::testing::Test {
 protected:
  PacketRecordsOfAnIncast() {
    cluster_ =
        std::make_unique<topology::Cluster>(cluster(9, 1, roce(fabric(FabricKind::single_switch))));
    options_.parameters.congestion = packet::Congestion::none;
    options_.records = std::make_shared<packet::PacketRecords>();
    options_.records->wants_transfers = true;
    options_.records->queue_interval = 5_us;
  }
  collectives::Run run(Bytes bytes) {
    Pairs pairs;
    for (std::uint32_t i = 1; i <= 8; ++i) pairs.emplace_back(i, 0);
    const auto schedule = sends(*cluster_, bytes, pairs);
    const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
    return PacketNetwork(*cluster_, options_).run({&task, 1});
  }

  std::unique_ptr<topology::Cluster> cluster_;
  PacketOptions options_;
};

TEST_F(PacketRecordsOfAnIncast, EveryTransferHasItsTimes) {
  const auto result = run(1_MiB);
  const auto& transfers = options_.records->transfers;
  ASSERT_EQ(transfers.size(), 8U);
  Time end;
  for (const packet::TransferRecord& transfer : transfers) {
    EXPECT_EQ(transfer.destination, 0U);
    EXPECT_EQ(transfer.bytes, 1_MiB);
    EXPECT_GE(transfer.end, end);  // in the order of their ends
    EXPECT_GT(transfer.slowdown, 1);
    end = transfer.end;
  }
  EXPECT_EQ(end, result.tasks[0].finish);
  // Eight of 256 packets (83.56 ns) share a link; two links have 1 us of latency each.
  const double packets = 256 * 83.56e-9;
  EXPECT_NEAR(transfers.back().slowdown, (8 * packets + 2e-6) / (packets + 2e-6), 0.02);
}

// 7 of 8 packets wait: the queue grows by 7 * 50 GB/s while the senders send, and no sample is
// above the deepest queue of the run.
TEST_F(PacketRecordsOfAnIncast, QueuesAreSampled) {
  const auto result = run(1_MiB);
  const auto& queues = options_.records->queues;
  ASSERT_FALSE(queues.empty());
  Bytes most;
  Time before;
  for (const packet::QueueRecord& queue : queues) {
    EXPECT_GE(queue.at, before);
    before = queue.at;
    most = std::max(most, queue.bytes);
    EXPECT_EQ(queue.link, link(*cluster_, "pod0/leaf0 -> node0/nic0"));
  }
  EXPECT_LE(most, result.packets->deepest_queue);
  EXPECT_GT(most.count(), result.packets->deepest_queue.count() * 3 / 4);
}

TEST_F(PacketRecordsOfAnIncast, PausesAddUpToThoseOfTheRun) {
  options_.parameters.switches.buffer = 4_MB;
  const auto result = run(4_MiB);
  const auto& pauses = options_.records->pauses;
  ASSERT_EQ(pauses.size(), 8U);  // every sender, by the leaf
  Time sum;
  for (std::size_t i = 0; i < pauses.size(); ++i) {
    sum = sum + pauses[i].total;
    EXPECT_LE(pauses[i].total, pauses[i > 0 ? i - 1 : 0].total);
    EXPECT_EQ(cluster_->name(cluster_->link(pauses[i].link).to), "pod0/leaf0");
  }
  EXPECT_EQ(sum, result.packets->paused);
}

// All eight wait at the port of rank 0 for the seven others. The last one to end has lost most.
TEST_F(PacketRecordsOfAnIncast, VictimsWaitForThePortOfTheIncast) {
  const auto result = run(1_MiB);
  const auto& victims = options_.records->victims;
  ASSERT_EQ(victims.size(), 8U);
  EXPECT_EQ(victims.front().transfer.end, options_.records->transfers.back().end);
  const LinkId port = link(*cluster_, "pod0/leaf0 -> node0/nic0");
  for (const packet::VictimRecord& victim : victims) {
    EXPECT_EQ(victim.waited_at, port);
    EXPECT_EQ(victim.cause, port);
    EXPECT_EQ(victim.connections, 8U);
  }
  const auto& ports = options_.records->ports;
  ASSERT_EQ(ports.size(), 1U);
  EXPECT_EQ(ports[0].link, port);
  EXPECT_EQ(ports[0].deepest, result.packets->deepest_queue);
}

// A watch that ends the run: what completed is there, with a note.
TEST_F(PacketRecordsOfAnIncast, AnInterruptedRunReturnsWhatIsKnown) {
  double seen = 0;
  options_.watch = [&](const RunProgress& progress) {
    EXPECT_GE(progress.share, seen);
    seen = progress.share;
    return progress.share < 0.5;
  };
  const auto result = run(256_MiB);
  ASSERT_EQ(result.caveats.size(), 1U);
  EXPECT_THAT(result.caveats[0], ::testing::HasSubstr("interrupted at"));
  EXPECT_GE(seen, 0.5);
  EXPECT_LT(seen, 1);
  EXPECT_EQ(options_.records->transfers.size(), 0U);  // all share the link to their ends
}

TEST_F(PacketRecordsOfAnIncast, SprayUnderControlsOfOnePathIsRefused) {
  options_.parameters.congestion = packet::Congestion::swift;
  options_.routing.policy = topology::RoutingPolicy::spray;
  EXPECT_THROW(PacketNetwork(*cluster_, options_), InputError);
}

}  // namespace
}  // namespace railyard::sim
