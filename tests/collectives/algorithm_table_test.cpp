#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/algorithms/double_binary_tree.hpp"
#include "collectives/algorithms/ring_search.hpp"
#include "collectives/verifier/verify.hpp"
#include "core/diagnostic.hpp"
#include "tests/collectives/test_clusters.hpp"

namespace railyard::collectives {
namespace {

using testing::CanonicalNode;
using testing::make_cluster;
using testing::make_request;

constexpr Kind kKinds[] = {Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                           Kind::broadcast,  Kind::reduce,     Kind::all_to_all,
                           Kind::send_recv};

std::vector<std::string> able(const topology::Cluster& cluster, Collective collective) {
  std::vector<std::string> names;
  const Request request = make_request(cluster, collective);
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.supports(collective.kind) && algorithm.why_not(request).empty())
      names.emplace_back(algorithm.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

using Names = std::vector<std::string>;

TEST(AlgorithmTable, WhatCanAllReduceDependsOnTheHardware) {
  const Collective asked{.bytes = Bytes(1 << 20)};
  const CanonicalNode sharp{.gpus = 8, .nics = 8, .in_network_reduction = true};
  EXPECT_EQ(able(make_cluster(sharp, 4), asked),
            (Names{"collnet_chain", "collnet_direct", "halving_doubling", "hierarchical",
                   "nvls_tree", "ring", "tree"}));
  EXPECT_EQ(able(make_cluster(sharp, 1), asked),
            (Names{"halving_doubling", "hierarchical", "nvls", "ring", "tree"}));
  const CanonicalNode pcie{
      .gpus = 8, .nics = 1, .inside = CanonicalNode::Inside::pcie, .gpus_per_switch = 4};
  EXPECT_EQ(able(make_cluster(pcie, 2), asked),
            (Names{"halving_doubling", "hierarchical", "ring", "tree"}));
}

TEST(AlgorithmTable, NvswitchesDoNotMultiply) {
  const topology::Cluster cluster = make_cluster({.gpus = 8, .nics = 8}, 1);
  const Request product = make_request(cluster, {.bytes = Bytes(4096), .op = ReduceOp::prod});
  EXPECT_EQ(find_algorithm("nvls")->why_not(product),
            "the NVSwitch does not support prod of float32");
  const Request least = make_request(
      cluster, {.bytes = Bytes(4096), .type = DataType::bfloat16, .op = ReduceOp::min});
  EXPECT_EQ(find_algorithm("nvls")->why_not(least), "");
}

std::string error_of(std::string_view algorithm, const Request& request) {
  try {
    (void)build_schedule(algorithm, request);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(AlgorithmTable, ErrorsSayWhatWouldDo) {
  const topology::Cluster cluster = make_cluster({.gpus = 4, .nics = 4}, 2);
  const Request request = make_request(cluster, {.bytes = Bytes(4096)});
  EXPECT_NE(error_of("rign", request).find("did you mean 'ring'"), std::string::npos);
  EXPECT_NE(error_of("direct", request).find("all_reduce is supported by tree, ring"),
            std::string::npos);
  EXPECT_NE(error_of("nvls", request).find("nvls_tree works between nodes"), std::string::npos);
  EXPECT_NE(error_of("collnet_direct", request).find("in_network_reduction"), std::string::npos);
  const Request bad = make_request(cluster, {.bytes = Bytes(-1), .root = 8}, {.channels = 0});
  const std::string all = error_of("ring", bad);
  EXPECT_NE(all.find("negative"), std::string::npos);
  EXPECT_NE(all.find("root 8 is not one of the group's 8 ranks"), std::string::npos);
  EXPECT_NE(all.find("0 channels"), std::string::npos);
}

TEST(AlgorithmTable, CrossNicTwoNeedsPairsOfNics) {
  const topology::Cluster cluster = make_cluster({.gpus = 3, .nics = 3}, 2);
  const Request request = make_request(cluster, {.bytes = Bytes(4096)}, {.cross_nic = 2});
  EXPECT_NE(error_of("ring", request).find("even number of NICs"), std::string::npos);
}

TEST(AlgorithmTable, TheDocsTableIsTheTable) {
  std::string table = "| algorithm |";
  for (const Kind kind : kKinds) table += fmt::format(" {} |", to_text(kind));
  table += "\n|---|---|---|---|---|---|---|---|\n";
  for (const Algorithm& algorithm : algorithms()) {
    table += fmt::format("| {} |", algorithm.name);
    for (const Kind kind : kKinds) table += algorithm.supports(kind) ? " yes |" : " |";
    table += "\n";
  }
  std::ifstream file(std::string(RAILYARD_SOURCE_DIR) + "/docs/models/collectives.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find(table), std::string::npos)
      << "docs/models/collectives.md should hold:\n"
      << table;
}

TEST(DoubleBinaryTree, OddNodesAreLeavesOfTheFirstTree) {
  // 8 nodes: 0 - 4 - {2 - {1, 3}, 6 - {5, 7}}.
  const NodeTree tree = binary_tree(8, false);
  EXPECT_EQ(tree.parent, (std::vector<std::uint32_t>{NodeTree::kRoot, 2, 4, 2, 0, 6, 4, 6}));
  EXPECT_EQ(tree.depth, 3U);
}

TEST(DoubleBinaryTree, TheSecondIsTheMirrorImageOrShifted) {
  // Mirror of 8: node i is 7 - i. Shift of 5: first is 0 - 4 - {2 - {1, 3}}, one further 1 - 0 - {3
  // - {2, 4}}.
  EXPECT_EQ(binary_tree(8, true).parent,
            (std::vector<std::uint32_t>{1, 3, 1, 7, 5, 3, 5, NodeTree::kRoot}));
  EXPECT_EQ(binary_tree(5, true).parent, (std::vector<std::uint32_t>{1, NodeTree::kRoot, 3, 0, 3}));
}

TEST(DoubleBinaryTree, NobodyIsAnInnerNodeTwiceForEvenCounts) {
  for (std::uint32_t nodes = 2; nodes <= 64; nodes += 2) {
    std::vector<int> inner(nodes, 0);
    for (const bool second : {false, true}) {
      const NodeTree tree = binary_tree(nodes, second);
      std::vector<bool> has_child(nodes, false);
      for (const std::uint32_t parent : tree.parent) {
        if (parent != NodeTree::kRoot) has_child[parent] = true;
      }
      for (std::uint32_t node = 0; node < nodes; ++node) inner[node] += has_child[node] ? 1 : 0;
    }
    for (std::uint32_t node = 0; node < nodes; ++node)
      EXPECT_LE(inner[node], 1) << nodes << " nodes, node " << node;
  }
}

TEST(RingSearch, CubeMeshHasSixRings) {
  // 6 NVLinks per GPU and direction, and NCCL finds 6 rings (DGX-1V 1 node:
  // 6x20).
  const topology::Cluster cluster = make_cluster(testing::cube_mesh(), 1);
  const Schedule schedule =
      build_schedule("ring", make_request(cluster, {.bytes = Bytes(1 << 20)}));
  EXPECT_EQ(schedule.channels().size(), 6U);
  std::vector<std::vector<int>> left(8, std::vector<int>(8, 0));
  for (const topology::NvlinkSpec& link : testing::cube_mesh().mesh) {
    left[static_cast<std::size_t>(link.gpu)][static_cast<std::size_t>(*link.peer)] = link.count;
  }
  for (const Channel& channel : schedule.channels()) {
    for (std::uint64_t i = 0; i < 8; ++i) {
      const Transfer transfer = channel.loops[0].steps[0].at(i, 0);
      EXPECT_GE(--left[transfer.source][transfer.destination], 0);
    }
  }
}

TEST(RingSearch, TwoGpusWithFourLinksHaveFourRings) {
  LinkCounts links(2);
  links.at(0, 1) = links.at(1, 0) = 4;
  EXPECT_EQ(search_rings(links).size(), 4U);
}

TEST(RingSearch, GivesTheLeadingWaysThatAreDisjoint) {
  // A triangle of single links: the closed ring 0 1 2 uses all links of one direction; from 0 to 1
  // over 2 goes the other way round; a third way finds no link.
  LinkCounts links(3);
  for (std::uint32_t a = 0; a < 3; ++a) {
    for (std::uint32_t b = 0; b < 3; ++b) links.at(a, b) = a == b ? 0 : 1;
  }
  const std::vector<PathEnds> ends{{.first = 0, .last = {}, .closed = true},
                                   {.first = 0, .last = 1, .closed = false},
                                   {.first = 0, .last = 1, .closed = false}};
  EXPECT_EQ(search_paths(links, ends),
            (std::vector<std::vector<std::uint32_t>>{{0, 1, 2}, {0, 2, 1}}));
}

TEST(PcieRing, CrossesSocketsTwice) {
  // 8 GPUs, switch by switch on alternating sockets of a board: a closed ring over two sockets has
  // to cross twice. GPUs 0..3 are on CPU 0, 4..7 on CPU 1.
  const topology::Cluster cluster = make_cluster(
      {.gpus = 8, .nics = 1, .inside = CanonicalNode::Inside::pcie, .gpus_per_switch = 2}, 1);
  const std::vector<int> shuffled{0, 4, 1, 5, 2, 6, 3, 7};
  const Request request = make_request(cluster, shuffled, {.bytes = Bytes(4096)});
  const Schedule schedule = build_schedule("ring", request);
  int crossings = 0;
  for (std::uint64_t i = 0; i < 8; ++i) {
    const Transfer transfer = schedule.channels()[0].loops[0].steps[0].at(i, 0);
    const auto socket = [&](Participant at) { return request.group->rank(at).value() / 4; };
    if (socket(transfer.source) != socket(transfer.destination)) ++crossings;
  }
  EXPECT_EQ(crossings, 2);
}

TEST(Verify, NamesRankChunkAndWhatIsThere) {
  // Two ranks; rank 0 sends to rank 1 and nothing comes back.
  const topology::Cluster cluster = make_cluster({.gpus = 2, .nics = 2}, 1);
  const Request request = make_request(cluster, {.bytes = Bytes(4096)});
  const auto transfers = std::make_shared<const std::vector<Transfer>>(
      std::vector<Transfer>{{.source = 0, .destination = 1, .action = Action::reduce}});
  Channel channel{.chunks_per_block = 1,
                  .loops = {{.steps = {{.pattern = ListPattern{.transfers = transfers}}}}}};
  const Schedule schedule({.algorithm = "half",
                           .collective = request.collective,
                           .group = request.group,
                           .reducers = {},
                           .channels = {channel}});
  const auto findings = verify(schedule);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0], "channel 0, rank 0, block 0, chunk 0: holds 0, should hold 0-1");
}

TEST(Verify, ReportsAtMostTwentyLines) {
  const topology::Cluster cluster = make_cluster({.gpus = 8, .nics = 8}, 4);
  const Request request = make_request(cluster, {.bytes = Bytes(4096)});
  const Schedule schedule({.algorithm = "nothing",
                           .collective = request.collective,
                           .group = request.group,
                           .reducers = {},
                           .channels = {{.chunks_per_block = 1, .loops = {}}}});
  EXPECT_EQ(verify(schedule).size(), 20U);
}

TEST(Verify, ProvesARingOfSixtyFourRanks) {
  const topology::Cluster cluster = make_cluster({.gpus = 8, .nics = 8}, 8);
  EXPECT_TRUE(
      verify(build_schedule("ring", make_request(cluster, {.bytes = Bytes(1 << 20)}))).empty());
  EXPECT_TRUE(verify(build_schedule("rail_pxn", make_request(cluster, {.kind = Kind::all_to_all,
                                                                       .bytes = Bytes(1 << 20)})))
                  .empty());
}

}  // namespace
}  // namespace railyard::collectives
