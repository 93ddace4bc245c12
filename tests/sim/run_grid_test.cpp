#include "sim/run_grid.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <utility>

#include "sim/run_watch.hpp"
#include "tests/sim/sim_cluster.hpp"

namespace railyard::sim {
namespace {

using namespace testing;

/// Takes a picosecond per byte and rank of the seed; stops at runs of `stops_at` bytes.
class Counter final : public collectives::Executor {
 public:
  Counter(std::int64_t factor, Bytes stops_at) : factor_(factor), stops_at_(stops_at) {}
  [[nodiscard]] std::string_view name() const override { return "counter"; }
  [[nodiscard]] collectives::Run run(std::span<const collectives::Task> tasks) override {
    const Bytes bytes = tasks.front().schedule->collective().bytes;
    if (bytes == stops_at_) throw Stopped();
    collectives::Run run;
    run.tasks.push_back(
        {.start = Time(), .finish = Time::picoseconds(factor_ * bytes.count()), .bound_by = {}});
    return run;
  }

 private:
  std::int64_t factor_;
  Bytes stops_at_;
};

/// Sizes of 1, 2 and 3 MiB with seeds 5 and 6.
RunGrid grid_of(const topology::Cluster& cluster, Bytes stops_at = Bytes()) {
  RunGrid grid{.sizes = 3};
  for (const std::uint64_t seed : {5, 6})
    grid.seeds.push_back(
        {.value = seed,
         .engine = std::make_unique<Counter>(static_cast<std::int64_t>(seed), stops_at)});
  for (const Bytes size : {1_MiB, 2_MiB, 3_MiB})
    grid.schedules.push_back(schedule(cluster, "ring", {.bytes = size}));
  return grid;
}

TEST(RunGrid, RunsEverySizeWithEverySeedOnAnyNumberOfThreads) {
  const auto cluster = single_switch(1, 4);
  const RunGrid grid = grid_of(cluster);
  for (const int concurrent : {1, 4}) {
    std::vector<Time> times(grid.runs());
    std::vector<std::pair<std::size_t, std::size_t>> done;
    const std::size_t finished =
        run_grid(grid, concurrent,
                 {.ended = [&](std::size_t run,
                               const collectives::Run& result) { times[run] = duration(result); },
                  .done =
                      [&](std::size_t first, std::size_t end) {
                        done.push_back({first, end});
                      }});
    EXPECT_EQ(finished, 6U);
    // Runs 0 and 1 are of the first size with both seeds.
    EXPECT_EQ(times[0], Time::picoseconds(5 * (1 << 20)));
    EXPECT_EQ(times[1], Time::picoseconds(6 * (1 << 20)));
    EXPECT_EQ(times[5], Time::picoseconds(6 * 3 * (1 << 20)));
    // Each call begins where the one before ended.
    EXPECT_EQ(done.front().first, 0U);
    for (std::size_t i = 1; i < done.size(); ++i) EXPECT_EQ(done[i].first, done[i - 1].second);
    EXPECT_EQ(done.back().second, 6U);
  }
}

TEST(RunGrid, EndsWhereTheWatchSaysSo) {
  const auto cluster = single_switch(1, 4);
  EXPECT_EQ(run_grid(grid_of(cluster), 1, {.begins = [](std::size_t run) { return run < 4; }}), 4U);
}

TEST(RunGrid, AnEngineThatStopsEndsItWithTheRunsBeforeIt) {
  const auto cluster = single_switch(1, 4);
  EXPECT_EQ(run_grid(grid_of(cluster, 2_MiB), 1, {}), 2U);
}

TEST(RunGrid, SchedulesCanDifferBySeed) {
  const auto cluster = single_switch(1, 4);
  RunGrid grid = grid_of(cluster);
  for (const Bytes size : {4_MiB, 5_MiB, 6_MiB})
    grid.schedules.push_back(schedule(cluster, "ring", {.bytes = size}));
  EXPECT_EQ(grid.schedule_of(2).collective().bytes, 2_MiB);  // the second size, seed 5
  EXPECT_EQ(grid.schedule_of(3).collective().bytes, 5_MiB);  // the second size, seed 6
}

TEST(RunGrid, AtMostAsManyRunsAreConcurrentAsFitIntoMemory) {
  EXPECT_EQ(concurrent_runs(4, 2, 1), 2);
  EXPECT_EQ(concurrent_runs(3, 8, 1), 3);
  EXPECT_EQ(concurrent_runs(4, 8, std::uint64_t{1} << 62), 1);
}

}  // namespace
}  // namespace railyard::sim
