#include "collectives/schedule/schedule_walk.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "tests/collectives/test_clusters.hpp"

namespace railyard::collectives {
namespace {

using ::testing::ElementsAre;

struct Count {
  int writes = 0;
};

/// Notes what a walk says of each transfer, and writes every destination.
struct Notes {
  explicit Notes(const Schedule& schedule) : walk(schedule, *this) {}
  [[nodiscard]] bool tracks(Participant participant) const { return participant < tracked; }
  [[nodiscard]] bool takes_part(const Transfer& transfer) const {
    return tracks(transfer.source) || tracks(transfer.destination);
  }
  void begin_channel() { ++channels; }
  void step(std::span<const WalkedTransfer> transfers) {
    for (const WalkedTransfer& walked : transfers) {
      seen.emplace_back(walked.reads_overwritten, walked.overwrites_read);
      if (tracks(walked.transfer.destination))
        walk.write(walked.transfer, [](auto& chunk) { ++chunk.state.writes; });
    }
  }

  Participant tracked = 3;
  int channels = 0;
  std::vector<std::pair<bool, bool>> seen;
  ScheduleWalk<Count, Notes> walk;
};

Transfer transfer(Participant from, Participant to, Action action) {
  return {.source = from, .destination = to, .action = action};
}

Schedule schedule_of(Kind kind, std::vector<std::vector<Transfer>> steps) {
  static const topology::Cluster kCluster = testing::make_cluster({.gpus = 4, .nics = 4}, 1);
  Channel channel;
  for (auto& transfers : steps) {
    const Step step{
        ListPattern{std::make_shared<const std::vector<Transfer>>(std::move(transfers)), 0}};
    channel.loops.push_back({.repeat = 1, .coupling = Coupling::exchange, .steps = {step}});
  }
  Schedule::Parts parts;
  parts.algorithm = "written";
  parts.collective = {.kind = kind, .bytes = Bytes(64)};
  parts.group = std::make_shared<const Group>(Group::first(kCluster, 3));
  parts.channels = {std::move(channel)};
  return Schedule(std::move(parts));
}

// Ranks 0 and 1 swap: each reads a chunk that the other writes. 1 -> 2 then reads what nobody
// writes in its step and writes what nobody reads.
TEST(ScheduleWalk, FindsChunksThatAStepReadsAndWrites) {
  const Schedule schedule = schedule_of(
      Kind::all_reduce, {{transfer(0, 1, Action::reduce), transfer(1, 0, Action::reduce)},
                         {transfer(1, 2, Action::copy)}});
  Notes notes(schedule);
  notes.walk.run();
  EXPECT_EQ(notes.channels, 1);
  EXPECT_THAT(notes.seen,
              ElementsAre(std::pair(true, true), std::pair(true, true), std::pair(false, false)));
  EXPECT_EQ(notes.walk.chunk(1, 0).state.writes, 1);
}

// The root alone has data at first: 1 may send after it has received.
TEST(ScheduleWalk, RefusesToSendBeforeThereIsData) {
  const Transfer first = transfer(0, 1, Action::copy), second = transfer(1, 2, Action::copy);
  const Schedule good = schedule_of(Kind::broadcast, {{first}, {second}});
  Notes notes(good);
  notes.walk.run();
  EXPECT_TRUE(notes.walk.chunk(2, 0).holds);
  const Schedule bad = schedule_of(Kind::broadcast, {{second}, {first}});
  Notes refused(bad);
  EXPECT_THROW(refused.walk.run(), std::logic_error);
}

// Of a participant that is not tracked nothing is known, so nothing is refused.
TEST(ScheduleWalk, LeavesOutWhatTheVisitorDoesNotTrack) {
  const Schedule schedule =
      schedule_of(Kind::broadcast, {{transfer(0, 1, Action::copy), transfer(2, 1, Action::copy)}});
  Notes notes(schedule);
  notes.tracked = 1;
  notes.walk.run();
  EXPECT_EQ(notes.seen.size(), 1U);
}

}  // namespace
}  // namespace railyard::collectives
