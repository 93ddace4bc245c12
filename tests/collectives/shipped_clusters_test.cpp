#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/verifier/verify.hpp"
#include "tests/collectives/test_clusters.hpp"

namespace railyard::collectives {
namespace {

using testing::list_transfers;
using testing::Listed;
using testing::make_request;

std::string config(const std::string& name) {
  return std::string(RAILYARD_SOURCE_DIR "/configs/clusters/") + name + ".json";
}

topology::Cluster shipped(const std::string& name, int nodes) {
  return topology::build_cluster(topology::read_cluster(config(name), nodes));
}

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(config("x").substr(0, config("x").rfind('/')))) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ShippedCluster : public ::testing::TestWithParam<std::string> {};

TEST_P(ShippedCluster, EveryAlgorithmIsProvenOnOneToThreeNodes) {
  for (int nodes = 1; nodes <= 3; ++nodes) {
    const topology::Cluster cluster = shipped(GetParam(), nodes);
    if (cluster.rank_count() > 72) continue;  // two racks of GB200: too slow for a unit test
    for (const Algorithm& algorithm : algorithms()) {
      for (const Kind kind : {Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                              Kind::broadcast, Kind::reduce, Kind::all_to_all, Kind::send_recv}) {
        const Request request =
            make_request(cluster, {.kind = kind, .bytes = Bytes(1 << 20), .root = 1});
        if (!algorithm.supports(kind) || !algorithm.why_not(request).empty()) continue;
        const auto findings = verify(algorithm.build(request));
        EXPECT_TRUE(findings.empty())
            << algorithm.name << " " << to_text(kind) << ": " << findings.front();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShippedCluster, ::testing::ValuesIn(shipped_names()),
                         [](const auto& name) { return name.param; });

/// The ring's members and NICs on node 0 in channel 0's first turn: "in 0: 0 7 6 ... 1 :out 1".
std::string first_leg(const topology::Cluster& cluster, std::size_t channel) {
  const Request request = make_request(cluster, {.bytes = Bytes(1 << 20)});
  const Schedule schedule = build_schedule("ring", request);
  const Step& step = schedule.channels()[channel].loops[0].steps[0];
  std::string text;
  for (std::uint64_t i = 0; i < step.size(); ++i) {
    const Transfer transfer = step.at(i, 0);
    if (request.group->node_index(transfer.source) != 0) break;
    text += fmt::format("{} ", transfer.source);
    if (transfer.source_nic >= 0) text += fmt::format("out {}", transfer.source_nic);
    if (transfer.relay != kNoParticipant) text += fmt::format(" by {}", transfer.relay);
  }
  return text;
}

TEST(ShippedRings, DgxH100RunsPairedRings) {
  // NCCL 2.30.7 computed: 8 channels, crossNic 2.
  const topology::Cluster cluster = shipped("dgx_h100_ndr400", 2);
  EXPECT_EQ(build_schedule("ring", make_request(cluster, {.bytes = Bytes(4096)})).channels().size(),
            8U);
  EXPECT_EQ(first_leg(cluster, 0), "0 7 6 5 4 3 2 1 out 1");
  EXPECT_EQ(first_leg(cluster, 1), "1 2 3 4 5 6 7 0 out 0");
}

TEST(ShippedRings, DgxA100RunsStraightRingsWithoutRelay) {
  // NCCL 2.30.7 computed: 8 channels, crossNic 0; two GPUs and two NICs share a PCIe switch.
  const topology::Cluster cluster = shipped("dgx_a100_hdr200", 2);
  const Schedule schedule = build_schedule("ring", make_request(cluster, {.bytes = Bytes(4096)}));
  EXPECT_EQ(schedule.channels().size(), 8U);
  for (const Listed& listed : list_transfers(schedule)) {
    EXPECT_EQ(listed.transfer.relay, kNoParticipant);
    EXPECT_EQ(listed.transfer.source_nic, listed.transfer.destination_nic);
  }
}

TEST(ShippedRings, Dgx1RunsFourRingsBetweenNodesAndSixWithin) {
  // NCCL 2.30.7 computed: DGX-1V, 6 channels on one node, 4 on several.
  const Collective asked{.bytes = Bytes(4096)};
  const topology::Cluster one = shipped("dgx1_v100_100g", 1);
  EXPECT_EQ(build_schedule("ring", make_request(one, asked)).channels().size(), 6U);
  const topology::Cluster two = shipped("dgx1_v100_100g", 2);
  EXPECT_EQ(build_schedule("ring", make_request(two, asked)).channels().size(), 4U);
}

TEST(ShippedRings, Dgx1HopsInsideNodesAreDisjointNvlinks) {
  const topology::Cluster cluster = shipped("dgx1_v100_100g", 2);
  const Request request = make_request(cluster, {.bytes = Bytes(4096)});
  const Schedule schedule = build_schedule("ring", request);
  const topology::NodeShape& shape = cluster.shape(NodeId(0));
  std::vector<std::vector<std::int64_t>> left(8, std::vector<std::int64_t>(8, 0));
  for (const topology::Link& link : shape.links()) {
    if (link.kind != topology::LinkKind::nvlink) continue;
    left[link.from.index()][link.to.index()] =
        link.bandwidth.bits_per_second() / shape.spec().gpu.nvlink_bandwidth.bits_per_second();
  }
  for (const Channel& channel : schedule.channels()) {
    for (std::uint64_t i = 0; i < 7; ++i) {
      const Transfer transfer = channel.loops[0].steps[0].at(i, 0);
      EXPECT_GE(--left[transfer.source][transfer.destination], 0)
          << transfer.source << " -> " << transfer.destination;
    }
  }
}

TEST(ShippedScale, ARingOverTheWholeRailClosIsAFewKilobytes) {
  // 1,024 nodes of 8: equal nodes are stored as a rule, whatever their number; every transfer is in
  // range.
  const topology::Cluster cluster = shipped("clos_rail_h100", 1024);
  const Schedule schedule =
      build_schedule("ring", make_request(cluster, {.bytes = Bytes(1 << 30)}));
  EXPECT_EQ(schedule.transfer_count(), 8ULL * 2 * 8191 * 8192);
  const Step& step = schedule.channels()[7].loops[1].steps[0];
  std::vector<bool> sends(8192, false), receives(8192, false);
  for (std::uint64_t i = 0; i < step.size(); ++i) {
    const Transfer transfer = step.at(i, 8190);
    sends.at(transfer.source) = receives.at(transfer.destination) = true;
    EXPECT_LT(transfer.first_chunk, 8192U);
  }
  EXPECT_EQ(std::count(sends.begin(), sends.end(), true), 8192);
  EXPECT_EQ(std::count(receives.begin(), receives.end(), true), 8192);
}

}  // namespace
}  // namespace railyard::collectives
