#include "sim/flow/byte_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "sim/flow/flow_network.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using ::testing::HasSubstr;

// A link that carried a tenth less than the schedule sends is found.
TEST(ByteCheck, FindsALinkThatLostBytes) {
  const auto cluster = testing::cluster(4, 2, leaf_spine(2));
  const auto ring = schedule(cluster, "ring", {.bytes = 8_MiB});
  const collectives::Task task{.schedule = &ring, .start = {}, .name = {}};
  collectives::Run run = FlowNetwork(cluster).run({&task, 1});
  EXPECT_EQ(link_with_other_bytes(cluster, {&task, 1}, {}, run), "");
  run.link_loads.front().bytes *= 0.9;
  EXPECT_THAT(link_with_other_bytes(cluster, {&task, 1}, {}, run),
              HasSubstr(cluster.name(run.link_loads.front().link)));
}

/// A fabric, a collective, an algorithm that can do it, and how it is run.
class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed)
      : random_(seed),
        cluster_(testing::cluster(below(5) + 1, below(4) + 1,
                                  below(2) == 0 ? leaf_spine(below(2) + 1, below(3) + 1.0)
                                                : fabric(topology::FabricKind::single_switch))) {
    options_.routing = {.policy = static_cast<topology::RoutingPolicy>(below(5)),
                        .qps = below(3) + 1,
                        .seed = seed};
    options_.expand = below(2) == 0;
    const int tasks = below(2) + 1;
    for (int i = 0; i < tasks; ++i) add_schedule();
  }
  [[nodiscard]] const topology::Cluster& cluster() const { return cluster_; }
  [[nodiscard]] const FlowOptions& options() const { return options_; }
  [[nodiscard]] std::vector<collectives::Task> tasks() const {
    std::vector<collectives::Task> tasks;
    for (const auto& one : schedules_)
      tasks.push_back({.schedule = &one,
                       .start = Time::microseconds(static_cast<std::int64_t>(tasks.size()) * 50),
                       .name = {}});
    return tasks;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

  void add_schedule() {
    const auto all = collectives::algorithms();
    const auto group = std::make_shared<const collectives::Group>(
        collectives::Group::first(cluster_, cluster_.rank_count()));
    for (int tries = 0; tries < 50; ++tries) {
      const auto& algorithm = all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
      const collectives::Collective collective{.kind = static_cast<collectives::Kind>(below(7)),
                                               .bytes = Bytes(4 * (below(3'000'000) + 1))};
      if (!algorithm.supports(collective.kind) ||
          !algorithm.why_not({cluster_, group, collective, {}}).empty())
        continue;
      schedules_.push_back(collectives::build_schedule(
          algorithm.name, {cluster_, group, collective, {.channels = below(3) + 1}}));
      return;
    }
  }

  std::mt19937_64 random_;
  topology::Cluster cluster_;
  FlowOptions options_;
  std::vector<collectives::Schedule> schedules_;
};

// Random fabrics, collectives and ways to run them: every link carries what its schedules send. Not
// with balanced and adaptive routing, whose paths depend on the order of events.
TEST(ByteCheck, HoldsForRandomRuns) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const RandomRun random(seed);
    const auto tasks = random.tasks();
    if (tasks.empty()) continue;
    const auto run = FlowNetwork(random.cluster(), random.options()).run(tasks);
    const auto policy = random.options().routing.policy;
    if (policy == topology::RoutingPolicy::balanced || policy == topology::RoutingPolicy::adaptive)
      continue;
    EXPECT_EQ(link_with_other_bytes(random.cluster(), tasks, random.options(), run), "")
        << "seed " << seed;
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

}  // namespace
}  // namespace railyard::sim
