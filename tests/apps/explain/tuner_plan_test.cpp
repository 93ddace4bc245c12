#include "collectives/nccl/tuner/tuner_plan.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "apps/cli/setting.hpp"
#include "apps/sim/timing.hpp"
#include "sim/engine.hpp"

namespace railyard::apps {
namespace {

using collectives::Kind;
using namespace collectives::nccl;

/// A shipped cluster with what a plan is made on.
struct Ground {
  /// `order`: the nodes, in the order of the communicator.
  Ground(const std::string& name, std::vector<std::uint32_t> order,
         std::vector<topology::TimedFault> faults = {},
         topology::RoutingOptions routing = {.policy = topology::RoutingPolicy::spray})
      : flags{.cluster = name, .nodes = static_cast<int>(order.size()), .gpus = {}, .ranks = {}},
        cluster(load_cluster(flags, provenance)),
        group(in_order(cluster, order)),
        timing(make_timing(cluster, flags, {}, {})),
        analytic(sim::make_engine(cluster, {.fidelity = "analytic"})),
        chooser(cluster, *analytic, {}) {
    fabrics.push_back(sim::make_engine(
        cluster,
        {.fidelity = "flow", .routing = routing, .faults = std::move(faults), .timing = timing}));
  }

  static std::shared_ptr<const collectives::Group> in_order(const topology::Cluster& cluster,
                                                            std::span<const std::uint32_t> order) {
    std::vector<Rank> ranks;
    for (const std::uint32_t node : order)
      for (int gpu = 0; gpu < cluster.shape(NodeId(node)).gpu_count(); ++gpu)
        ranks.emplace_back(cluster.node(NodeId(node)).first_rank.value() +
                           static_cast<std::uint32_t>(gpu));
    return std::make_shared<const collectives::Group>(cluster, std::move(ranks));
  }
  [[nodiscard]] TuningFabric ground() {
    return {.chooser = chooser, .engines = fabrics, .pace = timing.get(), .group = group};
  }
  [[nodiscard]] TunerPlan plan(std::initializer_list<std::int64_t> sizes) {
    const std::vector<Bytes> asked(sizes.begin(), sizes.end());
    return plan_tuning(ground(), asked, [](Kind, Bytes) {});
  }

  Provenance provenance;
  ClusterFlags flags;
  topology::Cluster cluster;
  std::shared_ptr<const collectives::Group> group;
  std::shared_ptr<FittedPace> timing;
  std::unique_ptr<collectives::Executor> analytic;
  std::vector<std::unique_ptr<collectives::Executor>> fabrics;
  Chooser chooser;
};

std::vector<std::uint32_t> in_turn(int nodes) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(nodes));
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

/// All links of the first unit switch to spines at a part of their bandwidth, both ways.
topology::TimedFault slow_uplinks(const topology::Cluster& cluster, double factor) {
  topology::TimedFault fault;
  for (const LinkId link : topology::find_links(cluster, "pod0/leaf0"))
    if (cluster.link(link).kind == topology::LinkKind::fabric)
      fault.faults.degraded.push_back({link, factor});
  return fault;
}

// Nodes 0 to 3 and 4 to 7 are on two unit switches, in the communicator they take turns: 0 4 1 5 2
// 6 3 7. Every hop of a ring between nodes then changes the unit: four nodes send 2 * 63/64 S each
// out of a unit, 7.9 S in all. A double binary tree of eight nodes (its edges by place: 0-4, 4-2,
// 4-6, 2-1, 2-3, 6-5, 6-7, and the same mirrored) changes it by four edges a tree, S/2 up one and
// S/2 down the other: 4 S. A unit has 32 uplinks for 32 NICs of 25 GB/s; where these give a quarter
// both are bound by them, and Tree is 7.9/4 times as fast. On sound uplinks both are bound by
// NICs, where Tree sends 2 S and Ring 1.97 S out of a node, and NCCL's Ring stays.
TEST(TunerPlan, TreeCrossesASlowBoundaryHalfAsOftenAsRing) {
  const std::vector<std::uint32_t> turns{0, 4, 1, 5, 2, 6, 3, 7};
  Ground sound("clos_baidu_roce", turns);
  const TunerRange before = sound.plan({1 << 30}).ranges.at(0);
  EXPECT_EQ(before.kind, Kind::all_reduce);
  EXPECT_EQ(before.algorithm, "ring");
  EXPECT_EQ(before.nccl_choice, "");

  Ground slow("clos_baidu_roce", turns, {slow_uplinks(sound.cluster, 0.25)});
  const TunerRange after = slow.plan({1 << 30}).ranges.at(0);
  EXPECT_EQ(after.algorithm, "tree");
  EXPECT_EQ(after.protocol, collectives::Protocol::simple);
  EXPECT_EQ(after.nccl_choice, "ring simple");
  // Latencies, 2 % of Ring's 43 ms, are those of the pace.
  EXPECT_NEAR(after.gain_pct, (8 * 63.0 / 64 / 4 - 1) * 100, 8);
}

// One switch for all NICs: nothing adds to a pace, and by NCCL's own estimates its choice is the
// fastest choice, so that both judges never agree on another. The fitted model alone would often
// take LL far beyond the sizes that any table shows it at (docs/models/nccl_tuning.md).
TEST(TunerPlan, WithoutContentionNcclsChoiceStays) {
  for (const char* name : {"dgx_h100_ndr400", "dgx_a100_hdr200", "gcp_a3_mega"}) {
    for (const int nodes : {1, 2, 4}) {
      Ground at(name, in_turn(nodes));
      for (const TunerRange& range : at.plan({1 << 12, 1 << 20, 1 << 25, 1 << 30}).ranges)
        EXPECT_EQ(range.nccl_choice, "")
            << name << " " << nodes << " nodes, " << to_text(range.kind) << " " << range.from;
    }
  }
}

// Where hashes collide ways change; each that does is faster by the fitted simulation of both.
TEST(TunerPlan, AChangedWayTakesLessTimeOnTheFabric) {
  Ground at("clos_roce_24k", in_turn(4), {}, {.policy = topology::RoutingPolicy::ecmp, .seed = 3});
  const TuningFabric ground = at.ground();
  int changed = 0;
  for (const std::int64_t bytes : {1 << 20, 1 << 24, 1 << 27, 1 << 30}) {
    for (const TunerRange& range : at.plan({bytes}).ranges) {
      if (range.nccl_choice.empty()) continue;
      const ChoiceRequest asked{.group = at.group,
                                .collective = {.kind = range.kind, .bytes = Bytes(bytes)},
                                .algorithm = "auto",
                                .protocol = {},
                                .channels = {}};
      std::optional<ChoiceTimes> own, taken;
      for (const AlgorithmChoice& choice : at.chooser.choices(asked)) {
        if (choice.chosen) own = ground.times(asked, choice);
        if (choice.algorithm == range.algorithm && choice.protocol == range.protocol)
          taken = ground.times(asked, choice);
      }
      ASSERT_TRUE(own && taken);
      EXPECT_LT(taken->predicted * 1.1, own->predicted);
      EXPECT_LT(taken->estimated, own->estimated);
      EXPECT_NEAR(range.gain_pct, (own->predicted / taken->predicted - 1) * 100, 1e-6);
      ++changed;
    }
  }
  EXPECT_GT(changed, 0);
}

TEST(TunerPlan, NominalTimingIsNcclsEstimateTimesWhatTheFabricAdds) {
  Ground at("clos_baidu_roce", in_turn(8));
  const ChoiceRequest asked{.group = at.group,
                            .collective = {.bytes = Bytes(1 << 30)},
                            .algorithm = "auto",
                            .protocol = {},
                            .channels = {}};
  const topology::Cluster one_switch = on_one_switch(at.cluster);
  const auto ideal = sim::make_engine(one_switch, {.fidelity = "flow"});
  std::vector<std::unique_ptr<collectives::Executor>> nominal;
  nominal.push_back(sim::make_engine(one_switch, {.fidelity = "flow"}));
  TuningFabric ground = at.ground();
  ground.pace = nullptr;
  ground.one_switch = ideal.get();
  ground.engines = nominal;
  for (const AlgorithmChoice& choice : at.chooser.choices(asked)) {
    if (!choice.why_not.empty() || !choice.no_schedule.empty()) continue;
    // On the ideal fabric itself nothing is added.
    EXPECT_NEAR(ground.times(asked, choice).predicted, choice.time_us, 1e-6 * choice.time_us);
  }
}

}  // namespace
}  // namespace railyard::apps
