#include "placement/mapping/composition.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "placement/mapping/unit_loads.hpp"
#include "tests/placement/mapping_cases.hpp"

namespace railyard::placement {
namespace {

using namespace testing;
using namespace literals;
using namespace topology::testing;
using topology::Cluster;

topology::FabricSpec oversubscribed(topology::FabricSpec fabric) {
  fabric.leaf_oversubscription = 2;
  return without_headers(std::move(fabric));
}

/// TP and DP rings, a PP chain and an all-to-all over EP.
std::vector<TrafficPhase> phases_of(const RankGrid& grid) {
  return {
      {.name = "tp", .traffic = {{TrafficPattern::ring, grid.groups({GridAxis::tp}), 40_GB}}},
      {.name = "dp",
       .traffic = {{TrafficPattern::ring, grid.groups({GridAxis::ep, GridAxis::dp}), 2_GB}},
       .count = 3},
      {.name = "pp", .traffic = {{TrafficPattern::chain, grid.groups({GridAxis::pp}), 1_GB}}},
      {.name = "ep", .traffic = {{TrafficPattern::all_to_all, grid.groups({GridAxis::ep}), 4_GB}}}};
}

void expect_same(const MappingScore& a, const MappingScore& b) {
  EXPECT_NEAR(a.seconds, b.seconds, 1e-12 * b.seconds);
  EXPECT_NEAR(a.uplink_seconds, b.uplink_seconds, 1e-9 * b.uplink_seconds);
  EXPECT_NEAR(a.hop_bytes, b.hop_bytes, 1e-9 * b.hop_bytes);
}

/// Every order of the axes, and their neighbours, over nodes in random order, by composition and by
/// Evaluator; 48 ranks on 4 of 4, 3 of 4 or 2 of 4 GPUs of a node.
void expect_as_evaluated(const Cluster& cluster, const RankGrid& grid, std::size_t block,
                         const EvaluateOptions& options) {
  const Tiers tiers(cluster);
  const std::vector<TrafficPhase> phases = phases_of(grid);
  NodeBlocks blocks{.block = block};
  for (const NodeId node : shuffled_nodes(cluster.node_count(), 3)) {
    const auto gpus = gpus_of_nodes(cluster, {&node, 1});
    blocks.gpus.insert(blocks.gpus.end(), gpus.begin(),
                       gpus.begin() + static_cast<std::ptrdiff_t>(block));
  }
  const auto alike = alike_blocks(tiers, blocks, grid.size(), {});
  ASSERT_TRUE(alike);
  Compositions compositions(tiers, grid, phases, options, *alike);
  Evaluator evaluator(tiers, phases, options);
  std::vector<Layout> layouts = axis_orders(grid);
  for (const Layout& next : neighbours(layouts.front())) layouts.push_back(next);
  for (const Layout& layout : layouts) {
    const auto placed = compositions.of(layout, std::numeric_limits<double>::infinity());
    ASSERT_NE(placed.parts, nullptr);
    UnitLoads loads(tiers, phases, options, placed.parts->traffic, placed.parts->floors);
    std::vector<std::uint32_t> nodes(placed.units.size());
    for (std::size_t q = 0; q < nodes.size(); ++q) nodes[placed.units[q]] = alike->nodes[q];
    const Mapping expected =
        map_in_order(grid.ranks_in(layout), std::span<const Rank>(blocks.gpus).first(grid.size()));
    EXPECT_EQ(placed.parts->traffic.mapping(tiers, nodes), expected) << to_text(layout);
    const MappingScore score = evaluator.score(expected);
    expect_same(loads.place(nodes), score);
    // Above a limit nothing is found out, below it all.
    EXPECT_TRUE(std::isinf(loads.place(nodes, 0.5 * score.seconds).seconds));
    expect_same(loads.place(nodes, 1.001 * score.seconds), score);
  }
}

TEST(Compositions, ScoreAsEvaluatorDoes) {
  const RankGrid grid = RankGrid::in_order({.tp = 4, .ep = 2, .dp = 2, .pp = 3});
  for (const auto& fabric : {oversubscribed(clos3(4, 2)), oversubscribed(rail_clos(4, 2))}) {
    const Cluster cluster = small_cluster(fabric, 24, 4);
    for (const bool hashed : {false, true}) {
      for (const bool pxn : {false, true}) {
        for (const std::size_t block : {4U, 3U, 2U})
          expect_as_evaluated(cluster, grid, block, {.pxn = pxn, .hashed = hashed});
      }
    }
  }
}

// Three GPUs a node and tp of two: a node takes one pair and half of another. BlockCosts then
// depend on all of the layout, not on the first alone.
TEST(Compositions, TellApartLayoutsThatShareOnlyTheFirstNode) {
  const Cluster cluster = small_cluster(oversubscribed(clos3(2, 2)), 8, 3);
  expect_as_evaluated(cluster, RankGrid::in_order({.tp = 2, .ep = 2, .dp = 3, .pp = 2}), 3, {});
}

TEST(Compositions, StopAtALimitThatFloorsExceed) {
  const Cluster cluster = small_cluster(oversubscribed(clos3(4, 2)), 8, 2);
  const Tiers tiers(cluster);
  const RankGrid grid = RankGrid::in_order({.tp = 2, .dp = 4});
  // 20 GB/s of NVLink: 40 GB in a ring of two take 2 s; over PCIe (48 GB/s) less.
  const std::vector<TrafficPhase> phases{
      {.name = "tp", .traffic = {{TrafficPattern::ring, grid.groups({GridAxis::tp}), 40_GB}}}};
  const NodeBlocks blocks{2, all_gpus(cluster)};
  const auto alike = alike_blocks(tiers, blocks, 8, {});
  ASSERT_TRUE(alike);
  Compositions compositions(tiers, grid, phases, {}, *alike);
  const Layout layout = axis_orders(grid).front();
  const double floor = Evaluator(tiers, phases, {}).score(identity(8)).seconds;
  EXPECT_EQ(compositions.of(layout, 0.99 * floor).parts, nullptr);
  EXPECT_EQ(compositions.of(layout, 0.98 * floor).parts, nullptr);
  EXPECT_NE(compositions.of(layout, 1.01 * floor).parts, nullptr);
}

TEST(AlikeBlocks, AreOnNodesOfOneKindAndTheSameGpus) {
  const Cluster cluster = small_cluster(leaf_spine(2), 4, 4);
  const Tiers tiers(cluster);
  const auto blocks = [](std::vector<std::uint32_t> gpus) {
    NodeBlocks made{.block = 2};
    for (const std::uint32_t gpu : gpus) made.gpus.emplace_back(gpu);
    return made;
  };
  EXPECT_TRUE(alike_blocks(tiers, blocks({0, 1, 4, 5}), 4, {}));
  EXPECT_FALSE(alike_blocks(tiers, blocks({0, 1, 2, 3}), 4, {}));  // two on node 0
  EXPECT_FALSE(alike_blocks(tiers, blocks({0, 1, 4, 6}), 4, {}));  // other GPUs
  // The port of node 1's first NIC has less left than that of node 0.
  std::vector<double> left(tiers.bandwidth().begin(), tiers.bandwidth().end());
  left[tiers.port_up(tiers.first_nic(1))] /= 2;
  EXPECT_FALSE(alike_blocks(tiers, blocks({0, 1, 4, 5}), 4, left));
  EXPECT_TRUE(alike_blocks(tiers, blocks({0, 1, 8, 9}), 4, left));
}

}  // namespace
}  // namespace railyard::placement
