#include "placement/jobs/elastic_options.hpp"

#include <gtest/gtest.h>

#include "tests/placement/jobs/small_problem.hpp"

namespace railyard::placement {
namespace {

using namespace testing;
using namespace literals;

std::vector<std::uint32_t> numbers(std::span<const Rank> gpus) {
  std::vector<std::uint32_t> values;
  for (const Rank gpu : gpus) values.push_back(gpu.value());
  return values;
}

std::vector<Rank> ranks(std::initializer_list<std::uint32_t> numbers) {
  std::vector<Rank> all;
  for (const std::uint32_t number : numbers) all.emplace_back(number);
  return all;
}

// Four replicas of two GPUs, the second (GPUs 2 and 3) is lost. Replicas 0 and 2 stay; replica 1
// takes the GPUs of the fourth, that of each tensor slice.
TEST(ElasticOptions, RanksStayOrTakeAGpuWithTheirSlice) {
  const Placed before{{.tp = 2, .dp = 4}, identity(8)};
  const auto left = ranks({0, 1, 4, 5, 6, 7});
  EXPECT_EQ(numbers(patched_mapping(before, {.tp = 2, .dp = 3}, left).gpus),
            (std::vector<std::uint32_t>{0, 1, 6, 7, 4, 5}));
}

// Of GPUs 0 to 7 the job has 0 to 3 and loses 2 and 3: at most four are its own 0 and 1, then 4, 5.
TEST(ElasticOptions, GpusOfTheJobComeFirst) {
  const PlaceProblem problem = small_problem(8, 1, {});
  EXPECT_EQ(numbers(gpus_left(problem, identity(4), ranks({2, 3}), 4)),
            (std::vector<std::uint32_t>{0, 1, 4, 5}));
  EXPECT_EQ(gpus_left(problem, identity(4), ranks({2, 3}), {}).size(), 6U);
}

// The first runs on; the second moves for 25 s, waits 5 s for its restart and gains 1 s of 10 per
// step: 30 steps of 9 s, and the 30 s.
TEST(ElasticOptions, PayBackTheirMoveAndTheRestart) {
  std::vector<ElasticOption> options{{.name = "as now", .step = 10000_ms},
                                     {.name = "fastest", .step = 9000_ms, .move = 25000_ms}};
  add_payback_times(options, 5000_ms);
  EXPECT_FALSE(options[0].payback);
  EXPECT_EQ(options[1].payback, 300000_ms);
}

// Eight replicas on eight GPUs, two are lost; the batch of 16 does not divide over six or five
// replicas: the same split has four.
TEST(ElasticOptions, TheSameSplitHasAsManyReplicasAsDivideTheBatch) {
  const PlaceProblem problem = small_problem(8, 1, {});
  const Placed before{{.dp = 8}, identity(8)};
  const auto left = ranks({0, 1, 2, 3, 4, 5});
  const ElasticResult found = elastic_options({.problem = problem, .before = before, .left = left});
  ASSERT_EQ(found.options.size(), 2U);
  EXPECT_EQ(found.options[0].name, "same split");
  EXPECT_EQ(found.options[0].gpus, 4);
  EXPECT_EQ(found.options[0].moves.moved, 0);
  EXPECT_EQ(found.options[1].name, "fastest");
  EXPECT_LE(found.options[1].step, found.options[0].step);
}

}  // namespace
}  // namespace railyard::placement
