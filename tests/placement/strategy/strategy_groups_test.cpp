#include "placement/strategy/strategy_groups.hpp"

#include <gtest/gtest.h>

#include "placement/mapping/step_traffic.hpp"

namespace railyard::placement {
namespace {

std::vector<int> members(const RankGroups& groups, std::size_t group) {
  std::vector<int> ranks;
  for (const JobRank rank : groups[group]) ranks.push_back(static_cast<int>(rank.value()));
  return ranks;
}

using V = std::vector<int>;

// 16 ranks, tp 2, cp 2, dp 2, pp 2: rank = tp + 2 cp + 4 dp + 8 pp.
TEST(StrategyGroups, FollowMegatronsNumbering) {
  const Strategy s{.tp = 2, .pp = 2, .dp = 2, .cp = 2};
  const StrategyGroups groups = strategy_groups(s);
  EXPECT_EQ(members(groups.tp, 1), (V{2, 3}));
  EXPECT_EQ(members(groups.cp, 0), (V{0, 2}));
  EXPECT_EQ(members(groups.dp, 0), (V{0, 4}));
  EXPECT_EQ(members(groups.pp, 3), (V{3, 11}));
  EXPECT_EQ(members(groups.replicas, 1), (V{1, 3, 5, 7}));
  EXPECT_EQ(members(groups.embedding, 0), (V{0, 8}));
  EXPECT_EQ(groups.replicas.count(), 4u);
}

// Stage of 8 ranks (tp 2, dp 4). With etp = tp experts are neighbours in dp: {0, 2}, {1, 3}, {4,
// 6},
// ...; copies of an expert are 4 apart. With etp = 1 an expert group takes tp too: {0, 1, 2, 3}.
TEST(StrategyGroups, CopiesOfAShardGroupAreNeighbours) {
  const StrategyGroups groups = strategy_groups({.tp = 2, .dp = 4, .zero = 1, .shard_group = 2});
  EXPECT_EQ(members(groups.shard, 0), (V{0, 2}));
  EXPECT_EQ(members(groups.shard, 1), (V{4, 6}));
  EXPECT_EQ(members(groups.mirrors, 0), (V{0, 4}));
  EXPECT_EQ(strategy_groups({.tp = 2, .dp = 4, .zero = 1}).mirrors.count(), 0u);
}

TEST(StrategyGroups, SpreadExpertsOverAStage) {
  const StrategyGroups wide = strategy_groups({.tp = 2, .dp = 4, .ep = 2, .etp = 2});
  EXPECT_EQ(members(wide.ep, 0), (V{0, 2}));
  EXPECT_EQ(members(wide.ep, 1), (V{1, 3}));
  EXPECT_EQ(members(wide.ep, 2), (V{4, 6}));
  EXPECT_EQ(members(wide.expert_replicas, 1), (V{1, 5}));
  const StrategyGroups flat = strategy_groups({.tp = 2, .dp = 4, .ep = 4, .etp = 1});
  EXPECT_EQ(members(flat.ep, 1), (V{4, 5, 6, 7}));
  EXPECT_EQ(members(flat.expert_replicas, 0), (V{0, 4}));
  EXPECT_EQ(to_text(strategy_grid({.tp = 2, .dp = 4, .ep = 4, .etp = 1}).dimensions()),
            "tp2-ep2-dp2");
}

// tp 2, dp 4, state shared by pairs of replicas: rank = tp + 2 dp. Experts over 2 neighbours have
// 4 replicas, 2 ranks apart, of which pairs share.
TEST(StrategyGroups, CopiesOfShardedState) {
  const StrategyGroups groups =
      strategy_groups({.tp = 2, .dp = 4, .ep = 2, .zero = 1, .shard_group = 2});
  EXPECT_EQ(members(groups.shard, 0), (V{0, 2}));
  EXPECT_EQ(members(groups.shard, 1), (V{4, 6}));
  EXPECT_EQ(members(groups.mirrors, 0), (V{0, 4}));
  EXPECT_EQ(members(groups.mirrors, 1), (V{2, 6}));
  EXPECT_EQ(groups.mirrors.count(), 4U);
  EXPECT_EQ(members(groups.expert_shard, 1), (V{4, 6}));
  EXPECT_EQ(members(groups.expert_mirrors, 0), (V{0, 4}));
  EXPECT_EQ(strategy_groups({.tp = 2, .dp = 4}).shard.count(), 0U);
}

TEST(StrategyGroups, OrdersAreLayoutsOfTheGrid) {
  const Strategy s{.tp = 2, .pp = 2, .dp = 4, .ep = 2, .etp = 2};
  const Layout layout = layout_in(s, parse_order("dp-tp-pp-cp", ""));
  // Element 1 is the next in dp, which counts ep first: rank 2.
  EXPECT_EQ(strategy_grid(s).ranks_in(layout)[1], JobRank(2));
  EXPECT_EQ(strategy_grid(s).ranks_in(layout_in(s, kDefaultOrder))[5], JobRank(5));
}

// A layer of hidden 8, sequence 4, 16 bit, micro-batch 1: 4 * 8 * 2 = 64 bytes of activations.
Job tiny() {
  Job job;
  job.model = {
      .layers = 4, .hidden = 8, .ffn = 32, .heads = 2, .vocabulary = 16, .tied_embeddings = false};
  job.batch = 8;
  job.sequence = 4;
  return job;
}

TEST(StepTraffic, CountsWhatARankSends) {
  // Two stages of two layers, two replicas: 4 micro-batches. tp: 2 x 1/2 x 64 bytes, behind
  // attention and MLP of 2 layers, forward, again, backward: 2 x 2 x 3 x 4 = 48 times.
  const auto phases =
      step_traffic(tiny(), {.tp = 2, .pp = 2, .dp = 2, .recompute = Recompute::full});
  ASSERT_EQ(phases.size(), 3u);
  EXPECT_EQ(phases[0].name, "tp");
  EXPECT_EQ(phases[0].traffic[0].bytes, Bytes(64));
  EXPECT_EQ(phases[0].count, 48);
  // pp: scatter-gather, 64 / 2 bytes, once a micro-batch and direction.
  EXPECT_EQ(phases[1].name, "pp");
  EXPECT_EQ(phases[1].traffic[0].bytes, Bytes(32));
  EXPECT_EQ(phases[1].count, 4);
  EXPECT_EQ(phases[2].name, "dp");
  EXPECT_EQ(phases[2].count, 1);
}

TEST(StepTraffic, ShardsGatherInEveryMicroBatch) {
  // Over 4 replicas a ring sends 3/4. Gradients have 4 bytes, weights 2: zero 0 sends 2 x 4, zero 1
  // 4 + 2, zero 3 4 + 2 x 2 in each of the 8 / 4 micro-batches.
  const auto bytes = [](int zero) {
    return step_traffic(tiny(), {.dp = 4, .zero = zero}).at(0).traffic[0].bytes.count();
  };
  EXPECT_EQ(bytes(1) * 4, bytes(0) * 3);
  EXPECT_EQ(bytes(3), bytes(0));
  EXPECT_EQ(step_traffic(tiny(), {.dp = 4, .zero = 3})[0].count, 2);
}

}  // namespace
}  // namespace railyard::placement
