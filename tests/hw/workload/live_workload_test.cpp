#include "hw/workload/live_workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/algorithms/algorithm.hpp"
#include "core/diagnostic.hpp"
#include "hw/live_measure.hpp"
#include "hw/local/local_backend.hpp"
#include "tests/collectives/workload/workload_builder.hpp"
#include "tests/hw/schedules.hpp"

namespace railyard::hw {
namespace {

using collectives::Kind;
using collectives::OperationKind;
using collectives::ProgramBuilder;
using collectives::RankPrograms;
using collectives::Workload;

/// 4 KiB on the stream "messages".
std::uint32_t message(ProgramBuilder& program, OperationKind kind, int peer,
                      std::initializer_list<std::uint32_t> after = {}) {
  return collectives::message(program, kind, "messages", peer, Bytes(4096), after);
}

constexpr Time ms(std::int64_t count) { return Time::milliseconds(count); }

/// A workload on threads of this process.
class Live {
 public:
  explicit Live(Workload workload)
      : workload_(std::move(workload)),
        cluster_(testing::cluster_of(1, static_cast<int>(workload_.ranks()))),
        backend_(open_local({.ranks = workload_.ranks(), .threads = 1})) {
    std::vector<Rank> gpus;
    for (std::uint32_t rank = 0; rank < workload_.ranks(); ++rank) gpus.emplace_back(rank);
    loads_.emplace(workload_, cluster_, gpus,
                   [this](std::shared_ptr<const collectives::Group> group,
                          const collectives::Collective& asked) {
                     return collectives::build_schedule(
                         asked.kind == Kind::send_recv ? "neighbour" : "ring",
                         {cluster_, std::move(group), asked, {.channels = 1}});
                   });
    run_.emplace(*loads_, *backend_, 1);
  }
  LiveWorkload& run() { return *run_; }
  LiveBackend& backend() { return *backend_; }
  collectives::WorkloadRun once() {
    (void)run_->run(1);
    return *run_->last_run();
  }

 private:
  Workload workload_;
  topology::Cluster cluster_;
  std::unique_ptr<LiveBackend> backend_;
  std::optional<LiveLoads> loads_;
  std::optional<LiveWorkload> run_;
};

void expect_right_results(Live& live, Repetition repetition) {
  repetition.check = true;
  const Measured measured = measure(live.backend(), live.run(), repetition);
  EXPECT_EQ(measured.times.size(), static_cast<std::size_t>(repetition.iterations));
  EXPECT_EQ(measured.check.wrong, 0) << measured.check.first_wrong;
}

TEST(LiveWorkload, ComputationOfOneStreamIsDueOneAfterTheOtherWhateverTheProcessDoes) {
  RankPrograms programs(1);
  compute(programs[0], "compute", ms(3));
  compute(programs[0], "compute", ms(2));
  Live live(programs.workload());
  const auto run = live.once();
  // Busy time ends when it is due, 3 and 3 + 2 ms behind the begin, to the picosecond.
  EXPECT_EQ(run.classes[0].operations[0].end, ms(3));
  EXPECT_EQ(run.classes[0].operations[1].begin, ms(3));
  EXPECT_EQ(run.total, ms(5));
}

TEST(LiveWorkload, ACollectiveStartsWithItsLastRank) {
  RankPrograms programs(2);
  const auto slow = compute(programs[0], "compute", ms(20));
  all_reduce(programs[0], "nccl", Bytes(4096), {slow});
  all_reduce(programs[1], "nccl", Bytes(4096));
  Live live(programs.workload());
  const auto run = live.once();
  // Rank 1 begins at once and waits for rank 0, which computes 20 ms first.
  const auto& waiting = run.classes[1].operations[0];
  EXPECT_LT(waiting.begin, ms(10));
  EXPECT_GE(waiting.start, ms(20));
  EXPECT_GE(waiting.end, waiting.start);
  EXPECT_EQ(waiting.end, run.classes[0].operations[1].end);
}

TEST(LiveWorkload, StreamsRunBesideEachOther) {
  RankPrograms programs(2);
  for (std::size_t rank : {0U, 1U}) {
    compute(programs[rank], "compute", ms(100));
    const auto sum = all_reduce(programs[rank], "nccl", Bytes(4096));
    compute(programs[rank], "compute", ms(5), {sum});
  }
  Live live(programs.workload());
  const auto run = live.once();
  // The sum ends within the 100 ms of the first computation: 100 + 5 ms in all.
  EXPECT_LT(run.classes[0].operations[1].end, ms(100));
  EXPECT_EQ(run.classes[0].end - run.classes[0].operations[0].begin, ms(105));
}

TEST(LiveWorkload, ASendWaitsForItsReceiver) {
  RankPrograms programs(2);
  const auto sent = message(programs[0], OperationKind::send, 1);
  compute(programs[0], "compute", ms(1), {sent});
  const auto busy = compute(programs[1], "compute", ms(20));
  message(programs[1], OperationKind::receive, 0, {busy});
  Live live(programs.workload());
  const auto run = live.once();
  EXPECT_GE(run.classes[0].operations[0].start, ms(20));
  EXPECT_GE(run.total, ms(21));
}

TEST(LiveWorkload, EqualCollectivesOnTwoStreamsHaveMemoryEach) {
  // Both sums may run at the same time; in one memory each would add to the other's result.
  RankPrograms programs(3);
  for (std::size_t rank : {0U, 1U, 2U}) {
    all_reduce(programs[rank], "a", Bytes(1 << 20));
    all_reduce(programs[rank], "b", Bytes(1 << 20));
  }
  Live live(programs.workload());
  expect_right_results(live, {.warmup = 1, .iterations = 3});
}

TEST(LiveWorkload, MessagesBringWhatTheirSendersHave) {
  RankPrograms programs(3);
  message(programs[0], OperationKind::send, 1);
  message(programs[1], OperationKind::receive, 0);
  message(programs[1], OperationKind::send, 2);
  message(programs[2], OperationKind::receive, 1);
  Live live(programs.workload());
  expect_right_results(live, {.warmup = 0, .iterations = 1});
}

TEST(LiveWorkload, ABarrierMovesNothingAndHoldsAllRanks) {
  RankPrograms programs(3);
  for (std::size_t rank : {0U, 1U, 2U}) {
    const auto busy = compute(programs[rank], "compute", ms(rank == 1 ? 15 : 0));
    all_reduce(programs[rank], "nccl", Bytes(0), {busy});
  }
  Live live(programs.workload());
  const auto run = live.once();
  for (const auto& ranks : run.classes) EXPECT_GE(ranks.end, ms(15));
}

TEST(LiveLoads, ADeadlockIsRefusedBeforeAnythingRuns) {
  // Each rank sends before it receives: a circle, as sends wait for their receivers.
  RankPrograms programs(2);
  message(programs[0], OperationKind::send, 1);
  message(programs[0], OperationKind::receive, 1);
  message(programs[1], OperationKind::send, 0);
  message(programs[1], OperationKind::receive, 0);
  EXPECT_THROW(Live(programs.workload()), InputError);
}

}  // namespace
}  // namespace railyard::hw
