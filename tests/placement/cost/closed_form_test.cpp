#include "placement/cost/closed_form.hpp"

#include <gtest/gtest.h>

namespace railyard::placement {
namespace {

using collectives::Kind;
using namespace literals;

/// 8 GPUs of 200 GB/s NVLink and 4 NICs of 25 GB/s, no latency.
NodeFabric fabric() {
  NodeFabric f{.gpus_per_node = 8, .nvlink = 200_GBps, .nics = 100_GBps, .nic_count = 4};
  f.overheads = {.ll = {}, .ll128 = {}, .simple = {}};
  return f;
}

constexpr double kGb = 1e9;

// 2 * 7/8 * 1 GB / 200 GB/s.
TEST(ClosedForm, ARingInsideANodeMovesItsFactor) {
  ClosedForm model(fabric());
  EXPECT_EQ(model.time({Kind::all_reduce, GroupRole::data, {.size = 8, .per_node = 8}, kGb}),
            8750_us);
  EXPECT_EQ(model.time({Kind::all_gather, GroupRole::data, {.size = 8, .per_node = 8}, kGb}),
            4375_us);
}

// Without latency, 8 GPUs a node. Two nodes: a ring moves 2 * 15/16 GB over 100 GB/s of NICs, 18.75
// ms; a tree 1 GB over the NICs (half up and half down, in both trees) or 2 GB over 200 GB/s of
// NVLink (up and down the chain), 10 ms, at NCCL's 0.92. Three: 3/2 GB (of one tree the node in the
// middle sends half up and half down, of another it is the leaf). Four and more: a node with two
// children sends half up and two halves down in one tree, half up in the other, 2 GB; then the ring
// is faster, 2 * 31/32 GB.
TEST(ClosedForm, TreesSendWhatTheirFullestNodeDoes) {
  ClosedForm model(fabric());
  const auto all_reduce = [&](std::uint32_t nodes) {
    return model.time({Kind::all_reduce, GroupRole::data, {.size = 8 * nodes, .per_node = 8}, kGb})
        .seconds();
  };
  EXPECT_NEAR(all_reduce(2), 0.01 / 0.92, 1e-9);
  EXPECT_NEAR(all_reduce(3), 0.015 / 0.92, 1e-9);
  EXPECT_NEAR(all_reduce(4), 0.019375, 1e-9);
  // With 100 ns a step over the network and small messages the tree's 2 log2(64) steps beat the
  // ring's 2 (n - 1) of one GPU a node.
  NodeFabric slow = fabric();
  slow.overheads.simple.network = slow.overheads.ll.network = slow.overheads.ll128.network =
      Time::nanoseconds(100);
  ClosedForm far(slow);
  EXPECT_NEAR(far.time({Kind::all_reduce, GroupRole::data, {.size = 64}, 1}).microseconds(), 1.2,
              0.01);
}

// Eight rings share 100 GB/s: 12.5 GB/s each; one ring over full nodes has all of it.
// reduce_scatter of 1 GB over 16 ranks: 15/16 GB / 12.5 GB/s = 75 ms, and / 100 GB/s = 9.375 ms.
TEST(ClosedForm, RingsOfANodeShareItsNics) {
  ClosedForm model(fabric());
  EXPECT_EQ(model.time({Kind::reduce_scatter, GroupRole::data, {.size = 16, .beside = 8}, kGb}),
            75_ms);
  EXPECT_EQ(model.time({Kind::reduce_scatter, GroupRole::data, {.size = 16, .per_node = 8}, kGb}),
            9375_us);
}

// 16 ranks on two nodes: 8/16 GB leave over the GPU's eighth of 100 GB/s: 40 ms.
TEST(ClosedForm, AllToAllIsBoundByTheShareOfTheNics) {
  ClosedForm model(fabric());
  EXPECT_EQ(model.time({Kind::all_to_all, GroupRole::data, {.size = 16, .per_node = 8}, kGb}),
            40_ms);
}

// One sender of a node uses one NIC of 25 GB/s; eight share 100 GB/s.
TEST(ClosedForm, AMessageTakesOneNic) {
  ClosedForm model(fabric());
  EXPECT_EQ(model.time({Kind::send_recv, GroupRole::data, {.size = 2}, kGb}), 40_ms);
  EXPECT_EQ(model.time({Kind::send_recv, GroupRole::data, {.size = 2, .beside = 8}, kGb}), 80_ms);
}

// NCCL's ring latencies (topology::ProtocolOverheads): a small all_reduce of 8 takes LL,
// 6.6 us + 14 * 0.6 us.
TEST(ClosedForm, SmallMessagesPayLatency) {
  NodeFabric f = fabric();
  f.overheads = {};
  ClosedForm model(f);
  EXPECT_NEAR(
      model.time({Kind::all_reduce, GroupRole::data, {.size = 8, .per_node = 8}, 8}).microseconds(),
      15, 0.01);
}

TEST(ClosedForm, ReadsNvlinkAndNicsOffACluster) {
  const NodeFabric f =
      node_fabric(topology::build_cluster(topology::read_cluster("dgx_a100_hdr200", 2)));
  EXPECT_EQ(f.gpus_per_node, 8U);
  EXPECT_EQ(f.nvlink, 240_GBps);  // 12 links of 20 GB/s, as NCCL counts them
  EXPECT_EQ(f.nics, 200_GBps);
  EXPECT_EQ(f.nic_count, 8U);
}

// Eight L40S on two sockets without NVLink: as NCCL counts them, PCIe Gen4 has 16 lanes x 120 / 80
// = 24 GB/s and the link between these Xeons 10 GB/s (src/graph/topo.h: UPI of Skylake and later).
TEST(ClosedForm, WithoutNvlinkARingTakesPcieAndTheSocketsLink) {
  const NodeFabric f =
      node_fabric(topology::build_cluster(topology::read_cluster("pcie8_gen4", 2)));
  EXPECT_EQ(f.nvlink, 10_GBps);
  ClosedForm model(f);
  // 2 * 7/8 of 1 GB at 10 GB/s.
  EXPECT_NEAR(
      model.time({Kind::all_reduce, GroupRole::data, {.size = 8, .per_node = 8}, kGb}).seconds(),
      0.175, 1e-3);
}

}  // namespace
}  // namespace railyard::placement
