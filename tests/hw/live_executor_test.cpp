#include "hw/live_executor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/algorithms/algorithm.hpp"
#include "core/diagnostic.hpp"
#include "hw/local/local_backend.hpp"
#include "hw/nccl/nccl_backend.hpp"
#include "tests/hw/schedules.hpp"

namespace railyard::hw {
namespace {

using collectives::Collective;
using collectives::Kind;
using collectives::Schedule;
using collectives::Task;
using testing::cluster_of;

Schedule built(const topology::Cluster& cluster, std::string_view algorithm,
               Collective collective) {
  return collectives::find_algorithm(algorithm)->build(
      {.cluster = cluster,
       .group = std::make_shared<const collectives::Group>(
           collectives::Group::first(cluster, cluster.rank_count())),
       .collective = collective,
       .options = {}});
}

std::unique_ptr<LiveBackend> backend_named(const std::string& name, std::uint32_t ranks) {
  LiveOptions options{.ranks = ranks, .timeout = Time::nanoseconds(20'000'000'000)};
  if (name == "local") return open_local(options);
  options.gpu.libraries = RAILYARD_FAKE_GPU;
  return std::make_unique<nccl::NcclBackend>(std::make_unique<SingleProcessWorld>(), options);
}

/// What placement does with any executor: it knows no backend.
collectives::Run run_all(collectives::Executor& executor, std::span<const Schedule> schedules) {
  std::vector<Task> tasks;
  for (const Schedule& schedule : schedules)
    tasks.push_back({.schedule = &schedule, .start = Time::microseconds(5), .name = {}});
  return executor.run(tasks);
}

TEST(LiveExecutor, RunsSchedulesOfEveryBackendThroughTheOnePlugPoint) {
  const auto cluster = cluster_of(2, 2);
  const std::vector<Schedule> schedules{
      built(cluster, "ring", {.kind = Kind::all_reduce, .bytes = Bytes(4096)}),
      built(cluster, "rail_pxn", {.kind = Kind::all_to_all, .bytes = Bytes(4096)}),
      built(cluster, "tree", {.kind = Kind::broadcast, .bytes = Bytes(4096), .root = 1})};
  for (const std::string name : {"local", "nccl"}) {
    const auto backend = backend_named(name, 4);
    LiveExecutor executor(*backend);
    EXPECT_EQ(executor.name(), name);
    const collectives::Run run = run_all(executor, schedules);
    ASSERT_EQ(run.tasks.size(), 3u);
    for (const collectives::TaskResult& result : run.tasks) {
      EXPECT_EQ(result.start, Time::microseconds(5));
      EXPECT_GT(result.finish, result.start);
    }
    EXPECT_THAT(run.notes, ::testing::ElementsAre(name + ": 3 tasks, each by itself"));
  }
}

TEST(LiveExecutor, TasksOfTheirOwnTimesAreRefused) {
  const auto cluster = cluster_of(1, 2);
  const Schedule schedule = built(cluster, "ring", {.kind = Kind::all_reduce, .bytes = Bytes(64)});
  const auto backend = backend_named("local", 2);
  LiveExecutor executor(*backend);
  const std::vector<Task> tasks{
      {.schedule = &schedule, .start = Time(), .name = {}},
      {.schedule = &schedule, .start = Time::microseconds(1), .name = {}}};
  EXPECT_THROW((void)executor.run(tasks), InputError);
}

TEST(LiveExecutor, AWrongResultIsAnError) {
  // Two receives a run: the fourth is the last of the run that is checked.
  setenv("FAKE_FAULT", "corrupt:recv:1::4", 1);
  const auto run_once = [] {
    const auto cluster = cluster_of(1, 2);
    const Schedule schedule =
        built(cluster, "ring", {.kind = Kind::all_reduce, .bytes = Bytes(64)});
    const auto backend = backend_named("nccl", 2);
    LiveExecutor executor(*backend, {.warmup = 0, .iterations = 1});
    const Task task{.schedule = &schedule, .start = Time(), .name = {}};
    try {
      (void)executor.run({&task, 1});
    } catch (const BackendError& error) {
      std::fprintf(stderr, "%s", error.what());
      std::_Exit(3);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(run_once(), ::testing::ExitedWithCode(3),
              "nccl: all_reduce with 'ring': .*wrong elements");
  unsetenv("FAKE_FAULT");
}

}  // namespace
}  // namespace railyard::hw
