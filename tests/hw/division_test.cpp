// Schedules compiled for one process per rank, run over a mailbox instead of a network.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <tuple>

#include "collectives/algorithms/algorithm.hpp"
#include "core/config/enum_names.hpp"
#include "hw/local/block_memory.hpp"
#include "hw/local/program.hpp"
#include "hw/local/reduction.hpp"
#include "tests/hw/schedules.hpp"

namespace railyard::hw {
namespace {

using collectives::Collective;
using collectives::Kind;
using collectives::Schedule;

/// Messages on their way: (from, to, sequence) and their bytes.
using Mailbox =
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::vector<std::byte>>;

/// One process that works through its program when it is asked to.
class Process {
 public:
  Process(const Schedule& schedule, const Division& division)
      : division_(division),
        program_(compile(schedule, division)),
        memory_(plan_of(schedule, program_), 3),
        reduce_(reduction(schedule.collective().type, schedule.collective().op)),
        element_(static_cast<std::size_t>(size_of(schedule.collective().type).count())) {
    memory_.reset();
    for (OperationId id = 0; id < program_.operations.size(); ++id) {
      waits_for_.push_back(program_.graph.waits_for(id));
    }
    const auto roots = program_.graph.roots();
    ready_.assign(roots.begin(), roots.end());
  }

  /// Tries every ready operation once; whether any was done.
  bool advance(Mailbox& mail) {
    bool moved = false;
    for (std::size_t left = ready_.size(); left > 0; --left) {
      const OperationId id = ready_.front();
      ready_.pop_front();
      if (!execute(id, mail)) {
        ready_.push_back(id);
        continue;
      }
      moved = true;
      ++done_;
      for (const OperationId next : program_.graph.successors(id)) {
        if (--waits_for_[next] == 0) ready_.push_back(next);
      }
    }
    return moved;
  }

  [[nodiscard]] bool is_done() const { return done_ == program_.operations.size(); }
  [[nodiscard]] CheckResult check() const { return memory_.check(); }

 private:
  /// False: the message is not there yet.
  bool execute(OperationId id, Mailbox& mail) {
    const Operation& operation = program_.operations[id];
    std::byte* arena = memory_.data();
    if (operation.work == Work::move) {
      for (const Move& move : program_.moves_of(operation)) {
        if (move.reduces)
          reduce_(arena + move.to, arena + move.from, move.bytes / element_);
        else
          std::memcpy(arena + move.to, arena + move.from, move.bytes);
      }
      return true;
    }
    const Message& message = program_.messages[operation.message];
    std::byte* data = arena + message.offset;
    if (operation.work == Work::send) {
      const auto key = std::tuple(division_.process, message.peer, message.sequence);
      EXPECT_TRUE(mail.emplace(key, std::vector<std::byte>(data, data + message.bytes)).second);
      return true;
    }
    const auto found = mail.find({message.peer, division_.process, message.sequence});
    if (found == mail.end()) return false;
    EXPECT_EQ(found->second.size(), message.bytes);
    std::memcpy(data, found->second.data(), message.bytes);
    mail.erase(found);
    return true;
  }

  Division division_;
  Program program_;
  BlockMemory memory_;
  Reduction reduce_;
  std::size_t element_;
  std::vector<std::uint32_t> waits_for_;
  std::deque<OperationId> ready_;
  std::size_t done_ = 0;
};

void run_divided(const Schedule& schedule) {
  const std::uint32_t ranks = schedule.group().size();
  std::vector<std::unique_ptr<Process>> processes;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    processes.push_back(
        std::make_unique<Process>(schedule, Division{.processes = ranks, .process = rank}));
  }
  Mailbox mail;
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto& process : processes) moved = process->advance(mail) || moved;
  }
  EXPECT_TRUE(mail.empty()) << mail.size() << " messages that nobody takes";
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    EXPECT_TRUE(processes[rank]->is_done()) << "rank " << rank << " waits for ever";
    EXPECT_EQ(processes[rank]->check().wrong, 0) << processes[rank]->check().first_wrong;
  }
}

TEST(Division, EveryAlgorithmOfEveryKindGivesTheRightResultOverMessages) {
  int ran = 0;
  for (const auto& [nodes, gpus] : {std::pair{1, 2}, {1, 7}, {2, 4}, {3, 5}, {4, 2}, {5, 1}}) {
    const auto cluster = testing::cluster_of(nodes, gpus);
    const auto group = std::make_shared<const collectives::Group>(
        collectives::Group::first(cluster, cluster.rank_count()));
    for (const auto& [kind, name] : core::EnumNames<Kind>::table) {
      // 1009 elements for each rank: no number of chunks or channels divides them.
      Collective collective{.kind = kind, .bytes = Bytes(4 * 1009LL * group->size())};
      collective.root = group->size() - 1;
      for (const collectives::Algorithm& algorithm : collectives::algorithms()) {
        const collectives::Request request{
            .cluster = cluster, .group = group, .collective = collective, .options = {}};
        if (!algorithm.supports(kind) || !algorithm.why_not(request).empty()) continue;
        SCOPED_TRACE(std::string(name) + " by " + std::string(algorithm.name) + " on " +
                     std::to_string(nodes) + " nodes of " + std::to_string(gpus));
        run_divided(algorithm.build(request));
        ++ran;
      }
    }
  }
  EXPECT_GT(ran, 100);
}

TEST(Division, ASwapOfOneChunkIsStagedSoThatNeitherWaitsForTheOther) {
  // Both ranks send chunk 0 and receive into it in one step.
  using collectives::Transfer;
  const auto cluster = testing::cluster_of(1, 2);
  const auto schedule = testing::schedule_of(
      cluster, 2, {.kind = Kind::all_reduce, .bytes = Bytes(64)},
      testing::channel_of(
          {{Transfer{.source = 0, .destination = 1}, Transfer{.source = 1, .destination = 0}}}, 1));
  const Program program = compile(schedule, {.processes = 2, .process = 0});
  ASSERT_EQ(program.operations.size(), 3u);
  EXPECT_EQ(program.operations[0].work, Work::send);
  EXPECT_EQ(program.operations[1].work, Work::receive);
  EXPECT_EQ(program.operations[2].fed_by, 1u);
  // The receive is posted at once; what it brings is written when the send has read.
  EXPECT_EQ(program.graph.waits_for(1), 0u);
  EXPECT_EQ(program.graph.waits_for(2), 2u);
}

TEST(Division, ACopyThatNothingDisturbsLandsInPlace) {
  using collectives::Transfer;
  const auto cluster = testing::cluster_of(1, 2);
  const auto schedule =
      testing::schedule_of(cluster, 2, {.kind = Kind::broadcast, .bytes = Bytes(64)},
                           testing::channel_of({{Transfer{.source = 0, .destination = 1}}}, 1));
  const Program program = compile(schedule, {.processes = 2, .process = 1});
  ASSERT_EQ(program.operations.size(), 1u);
  EXPECT_EQ(program.messages[0].offset, program.after[0].offset);
}

}  // namespace
}  // namespace railyard::hw
