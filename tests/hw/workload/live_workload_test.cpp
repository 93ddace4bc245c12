#include "hw/workload/live_workload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "collectives/algorithms/algorithm.hpp"
#include "collectives/workload/program_builder.hpp"
#include "core/diagnostic.hpp"
#include "hw/live_measure.hpp"
#include "hw/local/local_backend.hpp"
#include "tests/hw/schedules.hpp"

namespace railyard::hw {
namespace {

using collectives::Kind;
using collectives::NameTable;
using collectives::OperationKind;
using collectives::ProgramBuilder;
using collectives::Workload;

/// A program per rank, and one group of all ranks.
class Programs {
 public:
  explicit Programs(std::uint32_t ranks) {
    parts_.ranks = ranks;
    auto& all = parts_.families.emplace_back(collectives::GroupFamily{.name = "all"});
    all.groups.emplace_back(ranks);
    std::iota(all.groups[0].begin(), all.groups[0].end(), 0U);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) builders_.emplace_back(names_);
  }
  std::uint32_t compute(std::size_t rank, Time time,
                        std::initializer_list<std::uint32_t> after = {}) {
    ProgramBuilder& its = builders_[rank];
    return its.add("compute", {.stream = its.stream("compute"), .duration = time}, after);
  }
  std::uint32_t all_reduce(std::size_t rank, Bytes bytes, std::string_view stream,
                           std::initializer_list<std::uint32_t> after = {}) {
    ProgramBuilder& its = builders_[rank];
    return its.add("sum",
                   {.kind = OperationKind::collective,
                    .collective = Kind::all_reduce,
                    .stream = its.stream(stream),
                    .bytes = bytes},
                   after);
  }
  std::uint32_t message(std::size_t rank, OperationKind kind, int peer,
                        std::initializer_list<std::uint32_t> after = {}) {
    ProgramBuilder& its = builders_[rank];
    return its.add(
        "message",
        {.kind = kind, .stream = its.stream("messages"), .peer = peer, .bytes = Bytes(4096)},
        after);
  }
  Workload workload() {
    for (std::uint32_t rank = 0; rank < builders_.size(); ++rank) {
      parts_.programs.push_back(builders_[rank].take());
      parts_.roles.push_back({.name = "", .program = rank, .ranks = {rank}});
    }
    parts_.names = names_.names();
    return Workload(std::move(parts_));
  }

 private:
  NameTable names_;
  Workload::Parts parts_;
  std::vector<ProgramBuilder> builders_;
};

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

TEST(LiveWorkload, ComputationOfOneStreamIsDueOneAfterTheOtherWhateverTheProcessDoes) {
  Programs programs(1);
  programs.compute(0, ms(3));
  programs.compute(0, ms(2));
  Live live(programs.workload());
  const auto run = live.once();
  // Busy time ends when it is due, 3 and 3 + 2 ms behind the begin, to the picosecond.
  EXPECT_EQ(run.classes[0].operations[0].end, ms(3));
  EXPECT_EQ(run.classes[0].operations[1].begin, ms(3));
  EXPECT_EQ(run.total, ms(5));
}

TEST(LiveWorkload, ACollectiveStartsWithItsLastRank) {
  Programs programs(2);
  const auto slow = programs.compute(0, ms(20));
  programs.all_reduce(0, Bytes(4096), "nccl", {slow});
  programs.all_reduce(1, Bytes(4096), "nccl");
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
  Programs programs(2);
  for (std::size_t rank : {0U, 1U}) {
    programs.compute(rank, ms(100));
    const auto sum = programs.all_reduce(rank, Bytes(4096), "nccl");
    programs.compute(rank, ms(5), {sum});
  }
  Live live(programs.workload());
  const auto run = live.once();
  // The sum ends within the 100 ms of the first computation: 100 + 5 ms in all.
  EXPECT_LT(run.classes[0].operations[1].end, ms(100));
  EXPECT_EQ(run.classes[0].end - run.classes[0].operations[0].begin, ms(105));
}

TEST(LiveWorkload, ASendWaitsForItsReceiver) {
  Programs programs(2);
  const auto sent = programs.message(0, OperationKind::send, 1);
  programs.compute(0, ms(1), {sent});
  const auto busy = programs.compute(1, ms(20));
  programs.message(1, OperationKind::receive, 0, {busy});
  Live live(programs.workload());
  const auto run = live.once();
  EXPECT_GE(run.classes[0].operations[0].start, ms(20));
  EXPECT_GE(run.total, ms(21));
}

TEST(LiveWorkload, EqualCollectivesOnTwoStreamsHaveMemoryEach) {
  // Both sums may run at the same time; in one memory each would add to the other's result.
  Programs programs(3);
  for (std::size_t rank : {0U, 1U, 2U}) {
    programs.all_reduce(rank, Bytes(1 << 20), "a");
    programs.all_reduce(rank, Bytes(1 << 20), "b");
  }
  Live live(programs.workload());
  const Measured measured =
      measure(live.backend(), live.run(), {.warmup = 1, .iterations = 3, .check = true});
  EXPECT_EQ(measured.times.size(), 3u);
  EXPECT_EQ(measured.check.wrong, 0) << measured.check.first_wrong;
}

TEST(LiveWorkload, MessagesBringWhatTheirSendersHave) {
  Programs programs(3);
  programs.message(0, OperationKind::send, 1);
  programs.message(1, OperationKind::receive, 0);
  programs.message(1, OperationKind::send, 2);
  programs.message(2, OperationKind::receive, 1);
  Live live(programs.workload());
  const Measured measured =
      measure(live.backend(), live.run(), {.warmup = 0, .iterations = 1, .check = true});
  EXPECT_EQ(measured.check.wrong, 0) << measured.check.first_wrong;
}

TEST(LiveWorkload, ABarrierMovesNothingAndHoldsAllRanks) {
  Programs programs(3);
  for (std::size_t rank : {0U, 1U, 2U}) {
    const auto busy = programs.compute(rank, ms(rank == 1 ? 15 : 0));
    programs.all_reduce(rank, Bytes(0), "nccl", {busy});
  }
  Live live(programs.workload());
  const auto run = live.once();
  for (const auto& ranks : run.classes) EXPECT_GE(ranks.end, ms(15));
}

TEST(LiveLoads, ADeadlockIsRefusedBeforeAnythingRuns) {
  // Each rank sends before it receives: a circle, as sends wait for their receivers.
  Programs programs(2);
  programs.message(0, OperationKind::send, 1);
  programs.message(0, OperationKind::receive, 1);
  programs.message(1, OperationKind::send, 0);
  programs.message(1, OperationKind::receive, 0);
  EXPECT_THROW(Live(programs.workload()), InputError);
}

}  // namespace
}  // namespace railyard::hw
