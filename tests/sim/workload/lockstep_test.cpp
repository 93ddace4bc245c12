#include "sim/workload/lockstep.hpp"

#include <gtest/gtest.h>

#include <random>

#include "sim/workload/workload_run.hpp"
#include "tests/collectives/workload/workload_builder.hpp"
#include "tests/sim/sim_cluster.hpp"
#include "tests/sim/workload/rank_grid.hpp"

namespace railyard::sim {
namespace {

using namespace testing;
using collectives::Kind;
using collectives::NameTable;
using collectives::Operation;
using collectives::OperationKind;
using collectives::Program;
using collectives::ProgramBuilder;
using collectives::ProgramOrder;
using collectives::Workload;

std::uint32_t compute(ProgramBuilder& program, Time time,
                      std::initializer_list<std::uint32_t> after = {}) {
  return program.add("work", {.stream = program.stream("compute"), .duration = time}, after);
}
std::uint32_t all_reduce(ProgramBuilder& program, std::string_view stream, std::uint32_t family,
                         Bytes bytes, float compute_share,
                         std::initializer_list<std::uint32_t> after) {
  return program.add("sum",
                     {.kind = OperationKind::collective,
                      .stream = program.stream(stream),
                      .family = family,
                      .bytes = bytes,
                      .compute_share = compute_share},
                     after);
}

/// A pass of `pieces` with a sum of family 0 behind each but the last.
std::uint32_t pass(ProgramBuilder& program, int pieces, std::uint32_t after) {
  for (int i = 0; i < pieces; ++i) {
    const auto piece = compute(program, 100_us, {after});
    after = i + 1 < pieces ? all_reduce(program, "rows", 0, 1_MB, 0, {piece}) : piece;
  }
  return after;
}

// 0 work, 1 sum, 2 work, 3 sum, 4 work, 5 a sum of another family. Behind the sum 1 follow 2 to 4:
// 2 and 3 wait for 1 (work 2 by itself; sum 3 by its stream) and for one of the sequence.
TEST(Lockstep, IsAPassUpToWhatAnotherGroupDoes) {
  NameTable names;
  ProgramBuilder builder(names);
  const auto last = pass(builder, 3, ProgramBuilder::kNothing);
  all_reduce(builder, "columns", 1, 1_MB, 0, {last});
  const Program program = builder.take();
  const ProgramOrder order(program);
  Locksteps all(program, order);
  const Lockstep* its = all.behind(1);
  ASSERT_NE(its, nullptr);
  EXPECT_EQ(its->first, 2u);
  EXPECT_EQ(its->last, 4u);
  // Work 2 also waits for work 0, which is no part of it.
  EXPECT_EQ(its->waits, (std::vector<std::uint32_t>{1, 2, 2}));
  EXPECT_EQ(all.behind(3), nullptr) << "one operation is no sequence";
  std::vector<LockstepTime> times;
  // Work takes 2 ms, a sum 5 ms: 0 to 2, 2 to 7, 7 to 9.
  const auto duration = [](std::uint32_t i) { return i % 2 == 0 ? 2_ms : 5_ms; };
  ASSERT_TRUE(all.run(1, *its, duration, times));
  EXPECT_EQ(times[1].begin, 2_ms);
  EXPECT_EQ(times[1].end, 7_ms);
  EXPECT_EQ(times[1].behind, 2u);
  EXPECT_EQ(times[2].begin, 7_ms);
  EXPECT_EQ(times[2].end, 9_ms);
}

// The send waits for the first piece behind the sum: it must not wait for the last.
TEST(Lockstep, EndsWhereAnotherOperationWaitsForAPart) {
  NameTable names;
  ProgramBuilder builder(names);
  pass(builder, 4, ProgramBuilder::kNothing);
  builder.add("send",
              {.kind = OperationKind::send, .stream = builder.stream("send"), .bytes = 1_MB}, {4});
  const Program program = builder.take();
  const ProgramOrder order(program);
  Locksteps all(program, order);
  const Lockstep* its = all.behind(1);
  ASSERT_NE(its, nullptr);
  EXPECT_EQ(its->last, 4u);
}

/// Ranks in rows (a node each) and columns. Passes of sums in rows; sums in columns run beside them
/// and slow them; messages in columns that passes wait for.
Workload step(std::mt19937& random, std::uint32_t columns, std::uint32_t rows) {
  const auto draw = [&](int most) { return std::uniform_int_distribution<>(0, most - 1)(random); };
  return collectives::one_program(rank_grid(columns, rows), [&](ProgramBuilder& program) {
    std::uint32_t last = ProgramBuilder::kNothing;
    for (int i = 0; i < 6; ++i) {
      const auto done = pass(program, 2 + draw(6), last);
      const Bytes bytes = 1_MB * (1 + draw(20));
      if (draw(2) == 0) all_reduce(program, "columns", 1, bytes, 0.25F, {done});
      program.add("to next",
                  {.kind = OperationKind::send,
                   .is_relative = true,
                   .stream = program.stream("send"),
                   .family = 1,
                   .peer = 1,
                   .bytes = bytes},
                  {done});
      last = program.add("from before", {.kind = OperationKind::receive,
                                         .is_relative = true,
                                         .stream = program.stream("receive"),
                                         .family = 1,
                                         .peer = -1,
                                         .bytes = bytes});
    }
  });
}

TEST(Lockstep, EndsAsOperationByOperation) {
  std::mt19937 random(3);
  std::size_t most_classes = 0;
  for (int i = 0; i < 20; ++i) {
    const auto cluster = testing::cluster(6, 4, leaf_spine(2, 2.0));
    const Workload workload = step(random, 4, 6);
    WorkloadOptions how;
    how.schedule = [&cluster](std::shared_ptr<const collectives::Group> group,
                              const collectives::Collective& asked) {
      return collectives::build_schedule(asked.kind == Kind::send_recv ? "neighbour" : "ring",
                                         {cluster, std::move(group), asked, {.channels = 1}});
    };
    how.routing.policy = topology::RoutingPolicy::ecmp;
    how.routing.seed = static_cast<std::uint64_t>(i);
    std::vector<Rank> gpus;
    for (std::uint32_t rank = 0; rank < workload.ranks(); ++rank) gpus.emplace_back(rank);
    const auto folded = run_workload(cluster, workload, gpus, how);
    how.expand = true;
    const auto expanded = run_workload(cluster, workload, gpus, how);
    most_classes = std::max(most_classes, folded.classes.size());
    const auto classes = folded.class_of_ranks(workload.ranks());
    for (std::uint32_t rank = 0; rank < workload.ranks(); ++rank)
      for (std::uint32_t o = 0; o < workload.programs()[0].operations.size(); ++o) {
        const auto& a = folded.classes[classes[rank]].operations[o];
        const auto& b = expanded.classes[rank].operations[o];
        const double tolerance = 1e-6 * expanded.total.seconds();
        ASSERT_NEAR(a.begin.seconds(), b.begin.seconds(), tolerance)
            << "case " << i << ", " << workload.describe(rank, o);
        ASSERT_NEAR(a.start.seconds(), b.start.seconds(), tolerance);
        ASSERT_NEAR(a.end.seconds(), b.end.seconds(), tolerance);
        ASSERT_EQ(a.alone, b.alone);
      }
  }
  EXPECT_EQ(most_classes, 24u) << "with collisions no rank is like another";
}

}  // namespace
}  // namespace railyard::sim
