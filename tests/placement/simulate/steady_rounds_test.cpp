#include "placement/simulate/steady_rounds.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "collectives/workload/program_builder.hpp"

namespace railyard::placement {
namespace {

using collectives::Workload;
using collectives::WorkloadRun;

/// One rank that does forward and backward passes in turn, 1 ms and `backward(i)` ms long.
struct Turns {
  Workload workload;
  WorkloadRun run;
};

Turns turns(int micro_batches, const std::function<int(int)>& backward) {
  collectives::NameTable names;
  collectives::ProgramBuilder builder(names);
  collectives::RankClassRun ranks{.role = 0, .ranks = {0}, .operations = {}, .end = {}};
  const auto add = [&](char kind, int i, int length) {
    const Time time = Time::milliseconds(length);
    builder.add(std::string(1, kind) + " " + std::to_string(i) + " (chunk 0)",
                {.stream = builder.stream("compute"), .duration = time});
    ranks.operations.push_back({.begin = ranks.end, .start = ranks.end, .end = ranks.end + time});
    ranks.end += time;
  };
  for (int i = 0; i < micro_batches; ++i) {
    add('F', i, 1);
    add('B', i, backward(i));
  }
  Workload::Parts parts{.ranks = 1,
                        .names = {},
                        .families = {},
                        .programs = {},
                        .roles = {{.name = "stage 0", .program = 0, .ranks = {0}}}};
  parts.programs.push_back(builder.take());
  parts.names = names.names();
  WorkloadRun run;
  run.total = ranks.end;
  run.classes = {ranks};
  return {Workload(std::move(parts)), std::move(run)};
}

TEST(SteadyRounds, EqualRoundsAddTheirLengthEach) {
  // 9 micro-batches of 1 + 2 ms. The last forward pass ends at 25 ms; the backward passes before
  // it end at 3, 6, ..., 24 ms: 8 of them, (8 - 1) / 2 = 3 rounds in each half, from 6 to 24 ms.
  const Turns nine = turns(9, [](int) { return 2; });
  const auto left_out = rounds_left_out(Strategy{}, nine.workload, nine.run, 91);
  ASSERT_TRUE(left_out);
  EXPECT_EQ(left_out->from, Time::milliseconds(6));
  EXPECT_EQ(left_out->to, Time::milliseconds(24));
  // 91 more rounds are 91 / 6 times these six, 91 x 3 ms.
  EXPECT_DOUBLE_EQ(left_out->times, 91.0 / 6);
  EXPECT_EQ(left_out->longer, Time::milliseconds(273));
  EXPECT_EQ(left_out->difference, 0);
}

TEST(SteadyRounds, RoundsThatGetLongerDiffer) {
  // Backward passes of 2 ms, from the sixth on of 3 ms: the halves of 3 rounds each end at 6, 15
  // (the fifth: 3 x 5) and 3 x 5 + 4 x 3 = 27 ms. (12 - 9) / 21 = 1/7.
  const Turns nine = turns(9, [](int i) { return i < 5 ? 2 : 3; });
  const auto left_out = rounds_left_out(Strategy{}, nine.workload, nine.run, 10);
  ASSERT_TRUE(left_out);
  EXPECT_DOUBLE_EQ(left_out->difference, 1.0 / 7);
}

TEST(SteadyRounds, TooFewMicroBatchesShowNone) {
  const Turns two = turns(2, [](int) { return 2; });
  EXPECT_FALSE(rounds_left_out(Strategy{}, two.workload, two.run, 10));
}

TEST(SteadyRounds, SchedulesWithoutAMiddleHaveNone) {
  Strategy strategy{.pp = 4, .schedule = PipelineSchedule::gpipe};
  EXPECT_EQ(micro_batches_for_rounds(strategy), 0);
  strategy.schedule = PipelineSchedule::dualpipe;
  EXPECT_EQ(micro_batches_for_rounds(strategy), 0);
  strategy.schedule = PipelineSchedule::interleaved;
  strategy.interleave = 2;
  // A round is a micro-batch for each stage: others cannot be left out.
  const Turns nine = turns(9, [](int) { return 2; });
  EXPECT_FALSE(rounds_left_out(strategy, nine.workload, nine.run, 10));
}

}  // namespace
}  // namespace railyard::placement
