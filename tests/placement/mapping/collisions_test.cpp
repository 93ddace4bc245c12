#include "placement/mapping/collisions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "placement/mapping/unit_loads.hpp"
#include "tests/placement/mapping_cases.hpp"

namespace railyard::placement {
namespace {

using namespace testing;
using namespace literals;
using namespace topology::testing;
using topology::Cluster;
using topology::RoutingPolicy;

/// 64 ranks on 16 nodes of 4 GPUs: rings over dp, chains over pp and an all-to-all over ep.
class Job {
 public:
  explicit Job(topology::FabricSpec fabric)
      : cluster_(small_cluster(std::move(fabric), 16, 4)),
        tiers_(cluster_),
        phases_{
            {.name = "dp", .traffic = {{TrafficPattern::ring, grid_.groups({GridAxis::dp}), 2_GB}}},
            {.name = "pp",
             .traffic = {{TrafficPattern::chain, grid_.groups({GridAxis::pp}), 1_GB}},
             .count = 4},
            {.name = "ep",
             .traffic = {{TrafficPattern::all_to_all, grid_.groups({GridAxis::ep}), 2_GB}}}},
        blocks_{4, gpus_of_nodes(cluster_, shuffled_nodes(16, 4))},
        alike_(*alike_blocks(tiers_, blocks_, 64, {})),
        compositions_(tiers_, grid_, phases_, {}, alike_) {}

  struct Placed {
    const Composition* parts;
    std::vector<std::uint32_t> nodes;
    Mapping mapping;
    std::vector<RoutedBound> bounds;
  };
  Placed place(const Layout& layout, double payload) {
    const auto found = compositions_.of(layout, RoutedScore::kNoLimit);
    Placed placed{found.parts, std::vector<std::uint32_t>(found.units.size()), {}, {}};
    for (std::size_t q = 0; q < found.units.size(); ++q)
      placed.nodes[found.units[q]] = alike_.nodes[q];
    placed.mapping = found.parts->traffic.mapping(tiers_, placed.nodes);
    UnitLoads loads(tiers_, phases_, {}, found.parts->traffic, found.parts->floors);
    loads.place(placed.nodes);
    for (std::size_t p = 0; p < phases_.size(); ++p) {
      const PhaseFloor& floor = found.parts->floors[p];
      const double below = std::max(floor.node, floor.port * payload);
      const double up = loads.busiest_uplink(p) * payload;
      placed.bounds.push_back({below, std::max(below, up), up == 0});
    }
    return placed;
  }

  RankGrid grid_ = RankGrid::in_order({.tp = 4, .ep = 2, .dp = 2, .pp = 4});
  Cluster cluster_;
  Tiers tiers_;
  std::vector<TrafficPhase> phases_;
  NodeBlocks blocks_;
  AlikeBlocks alike_;
  Compositions compositions_;
};

topology::FabricSpec two_to_one(topology::FabricSpec fabric) {
  fabric.leaf_oversubscription = 2;
  return fabric;  // with headers: ports are bound by the wire
}

// Routing only what climbs, from bounds, against routing all; and limits against none.
TEST(RoutedScore, IsTheSameFromBounds) {
  for (const auto& fabric : {two_to_one(clos3(4, 2)), two_to_one(rail_clos(4, 2))}) {
    Job job(fabric);
    for (const RoutingPolicy policy :
         {RoutingPolicy::rail, RoutingPolicy::ecmp, RoutingPolicy::adaptive}) {
      RoutedScore routed(job.tiers_, job.phases_, {.policy = policy}, {});
      ASSERT_TRUE(routed.is_quick_from(0));
      std::vector<Job::Placed> all;
      double best = RoutedScore::kNoLimit;
      for (const Layout& layout : axis_orders(job.grid_)) {
        all.push_back(job.place(layout, routed.payload()));
        const Job::Placed& placed = all.back();
        const double full = routed(placed.mapping);
        EXPECT_NEAR(routed(placed.mapping, placed.bounds), full, 1e-9 * full) << to_text(layout);
        double least = 0;
        for (std::size_t p = 0; p < placed.bounds.size(); ++p)
          least += job.phases_[p].count * placed.bounds[p].least;
        EXPECT_LE(least, full * (1 + 1e-9));
        best = std::min(best, full);
      }
      // Whatever was routed before: what is not above a limit is found in full.
      for (const Job::Placed& placed : all) {
        const double full = routed(placed.mapping);
        const double limited = routed(placed.mapping, placed.bounds, best);
        if (full <= best * (1 + 1e-9)) {
          EXPECT_NEAR(limited, full, 1e-9 * full);
        } else {
          EXPECT_TRUE(std::isinf(limited));
        }
      }
    }
  }
}

TEST(SpreadCollisions, StaysBelowTheSameLeavesAndIsNeverWorse) {
  bool gains = false;
  for (const auto& fabric : {two_to_one(clos3(4, 2)), two_to_one(rail_clos(4, 2))}) {
    Job job(fabric);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      RoutedScore routed(job.tiers_, job.phases_, {.policy = RoutingPolicy::ecmp, .seed = seed},
                         {});
      ASSERT_TRUE(routed.is_quick_from(0));
      const Job::Placed placed = job.place(axis_orders(job.grid_).front(), routed.payload());
      const auto nodes = spread_collisions(job.tiers_, job.phases_, *routed.leaf_router(),
                                           *placed.parts, placed.nodes, placed.bounds,
                                           {.routes = 20'000, .seed = 1, .pxn = true});
      const Mapping moved = placed.parts->traffic.mapping(job.tiers_, nodes);
      check_mapping(moved, job.cluster_);
      for (std::size_t u = 0; u < nodes.size(); ++u) {
        EXPECT_EQ(job.tiers_.nic(job.tiers_.first_nic(nodes[u])).leaf,
                  job.tiers_.nic(job.tiers_.first_nic(placed.nodes[u])).leaf);
      }
      const double before = routed(placed.mapping), after = routed(moved);
      EXPECT_LE(after, before * (1 + 1e-9));
      gains = gains || after < 0.99 * before;
    }
  }
  EXPECT_TRUE(gains);
}

// Four nodes of one GPU below each of two leaves, two uplinks each; four pairs from leaf to leaf.
// Of the orders of the nodes of a leaf the best by trying all 24 x 24 is found.
TEST(SpreadCollisions, FindTheBestOrderOfATinyJob) {
  topology::FabricSpec fabric = without_headers(two_to_one(leaf_spine(4)));
  const Cluster cluster = small_cluster(fabric, 8, 1);
  const Tiers tiers(cluster);
  const RankGrid grid = RankGrid::in_order({.dp = 4, .pp = 2});
  const std::vector<TrafficPhase> phases{
      {.name = "pp", .traffic = {{TrafficPattern::chain, grid.groups({GridAxis::pp}), 10_GB}}}};
  const NodeBlocks blocks{1, all_gpus(cluster)};
  const AlikeBlocks alike = *alike_blocks(tiers, blocks, 8, {});
  Compositions compositions(tiers, grid, phases, {}, alike);
  const Layout layout{{GridAxis::dp, 4}, {GridAxis::pp, 2}};
  const auto found = compositions.of(layout, RoutedScore::kNoLimit);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    RoutedScore routed(tiers, phases, {.policy = RoutingPolicy::ecmp, .seed = seed}, {});
    Mapping mapping = identity(8);
    double best = routed(mapping);
    const auto half = mapping.gpus.begin() + 4;
    do {
      do {
        best = std::min(best, routed(mapping));
      } while (std::next_permutation(half, mapping.gpus.end()));
    } while (std::next_permutation(mapping.gpus.begin(), half));
    std::vector<std::uint32_t> nodes(8);
    for (std::size_t q = 0; q < 8; ++q) nodes[found.units[q]] = static_cast<std::uint32_t>(q);
    // 10 GB over PCIe at 48 GB/s; evenly spread four flows take two links of 50 GB/s 0.4 s.
    const RoutedBound bound{.below = 10.0 / 48, .least = 0.4, .is_known = false};
    ASSERT_TRUE(routed.is_quick_from(0));
    const auto moved = spread_collisions(tiers, phases, *routed.leaf_router(), *found.parts, nodes,
                                         {&bound, 1}, {.routes = 100'000, .seed = 1, .pxn = true});
    EXPECT_NEAR(routed(found.parts->traffic.mapping(tiers, moved)), best, 1e-9) << seed;
  }
}

}  // namespace
}  // namespace railyard::placement
