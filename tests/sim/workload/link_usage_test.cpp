#include "sim/workload/link_usage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/workload/workload_run.hpp"
#include "tests/collectives/workload/workload_builder.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using collectives::Kind;
using collectives::OperationKind;
using collectives::Workload;

/// All ranks do an all-to-all of 100 MB behind 1 ms of computation.
Workload exchange(std::uint32_t ranks, float share) {
  return collectives::one_program({.ranks = ranks, .families = collectives::all_ranks(ranks)},
                                  [&](collectives::ProgramBuilder& program) {
                                    const auto work = compute(program, "work", 1_ms);
                                    program.add("exchange",
                                                {.kind = OperationKind::collective,
                                                 .collective = Kind::all_to_all,
                                                 .stream = program.stream("experts"),
                                                 .bytes = 100_MB,
                                                 .rate_share = share},
                                                {work});
                                  });
}

/// A workload on the first GPUs of a cluster.
struct Ran {
  Ran(topology::Cluster on, Workload what) : cluster(std::move(on)), workload(std::move(what)) {
    for (std::uint32_t rank = 0; rank < workload.ranks(); ++rank) gpus.emplace_back(rank);
    options.schedule = [this](std::shared_ptr<const collectives::Group> group,
                              const collectives::Collective& asked) {
      return collectives::build_schedule("direct",
                                         {cluster, std::move(group), asked, {.channels = 1}});
    };
    run = run_workload(cluster, workload, gpus, options);
  }
  Ran(const Ran&) = delete;
  Ran& operator=(const Ran&) = delete;
  [[nodiscard]] LinkUsage usage() const { return {cluster, workload, gpus, options, run}; }

  topology::Cluster cluster;
  Workload workload;
  std::vector<Rank> gpus;
  WorkloadOptions options;
  collectives::WorkloadRun run;
};

struct Critical {
  Time total{};  ///< of the run
  std::string tier{};
  Time bound{};  ///< what the tier's busiest link takes
  Time saved{};  ///< by a tier twice as fast
};

/// The exchange over four nodes, two below each of two leaves with one uplink (2:1).
void expect_critical(float share, const Critical& expected) {
  const Ran ran(cluster(4, 1, leaf_spine(2, 2.0)), exchange(4, share));
  EXPECT_EQ(ran.run.total, expected.total);
  const auto tiers = ran.usage().critical();
  ASSERT_EQ(tiers.size(), 1u);
  EXPECT_EQ(tiers[0].tier, expected.tier);
  EXPECT_EQ(tiers[0].bound, expected.bound);
  EXPECT_NEAR(tiers[0].saved.seconds(), expected.saved.seconds(), 1e-9);
}

// Ports send 3 x 25 MB in 1.5 ms, the uplinks carry 4 x 25 MB in 2 ms. Uplinks twice as fast leave
// the 1.5 ms of the ports.
TEST(LinkUsage, ATierSavesUpToTheNextOne) {
  expect_critical(1, {.total = 3_ms, .tier = "leaf-spine", .bound = 2_ms, .saved = 500_us});
}

// At half of their rate the ports take 3 ms, longer than the uplinks' 2 ms. Twice as fast they take
// 1.5 ms, and the uplinks still 2 ms: 1 ms is saved.
TEST(LinkUsage, AShareOfTheRateCountsForPortsOnly) {
  expect_critical(0.5F, {.total = 4_ms, .tier = "port", .bound = 3_ms, .saved = 1_ms});
}

// 1 ms of computation, then 2 ms in which bytes move: of three parts of 1 ms the first has none,
// and each of the others half of them. All parts together have what the run has.
TEST(LinkUsage, PartsOfTheRunHaveTheirBytes) {
  const Ran ran(cluster(4, 1, leaf_spine(2, 2.0)), exchange(4, 1));
  const auto parts = ran.usage().over_time(3);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_TRUE(parts[0].empty());
  ASSERT_EQ(parts[1].size(), ran.run.link_loads.size());
  ASSERT_EQ(parts[2].size(), ran.run.link_loads.size());
  for (std::size_t i = 0; i < ran.run.link_loads.size(); ++i) {
    const double bytes = ran.run.link_loads[i].bytes;
    EXPECT_EQ(parts[1][i].link, ran.run.link_loads[i].link);
    EXPECT_NEAR(parts[1][i].bytes, bytes / 2, 1e-6 * bytes);
    EXPECT_NEAR(parts[2][i].bytes, bytes / 2, 1e-6 * bytes);
  }
}

// The same run of 3 ms in three parts: nothing in the first, and uplinks in use from 1 to 2 ms.
TEST(LinkUsage, TiersAreLoadedWhereBytesMove) {
  const Ran ran(cluster(4, 1, leaf_spine(2, 2.0)), exchange(4, 1));
  const auto tiers = tier_usage(ran.cluster, ran.usage(), ran.run.total, 3);
  const auto up = [](std::size_t part) {
    return [=](const TierUsage& one) {
      return one.begin ==
                 Time::picoseconds((1_ms).picoseconds() * static_cast<std::int64_t>(part)) &&
             one.load.tier == "leaf-spine" && one.load.direction == "up";
    };
  };
  const auto first = std::ranges::find_if(tiers, up(0)),
             second = std::ranges::find_if(tiers, up(1));
  ASSERT_NE(first, tiers.end());
  ASSERT_NE(second, tiers.end());
  EXPECT_EQ(first->load.max_utilisation, 0);
  EXPECT_EQ(second->end, 2_ms);
  EXPECT_GT(second->load.max_utilisation, 0.5);
}

}  // namespace
}  // namespace railyard::sim
