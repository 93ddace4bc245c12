#include "placement/serving/service/replica.hpp"

#include <gtest/gtest.h>

#include "placement/serving/service/service_run.hpp"

namespace railyard::placement::serving {
namespace {

const Replica::StepSeconds kOneSecond = [](const StepBatch&) { return 1.0; };

ReplicaOptions with_blocks(std::int64_t blocks) {
  return {.token_budget = 64, .max_sequences = 8, .block_tokens = 16, .blocks = blocks};
}

TEST(Replica, ARequestAloneGetsATokenAStep) {
  // One step for the prompt and the first token, four for the others.
  const ServiceResult run = run_service({{.arrival = 2, .input = 20, .output = 5}},
                                        {.replica = with_blocks(100)}, kOneSecond);
  EXPECT_DOUBLE_EQ(run.requests[0].ttft(), 1);
  EXPECT_DOUBLE_EQ(run.requests[0].last_token, 7);
  EXPECT_DOUBLE_EQ(run.requests[0].tpot(), 1);
  EXPECT_NEAR(run.token_gaps.quantile(0.5), 1, 0.01);
}

TEST(Replica, APromptBeyondTheBudgetTakesSeveralSteps) {
  // 150 tokens in parts of 64, 64 and 22.
  const ServiceResult run = run_service({{.arrival = 0, .input = 150, .output = 1}},
                                        {.replica = with_blocks(100)}, kOneSecond);
  EXPECT_DOUBLE_EQ(run.requests[0].ttft(), 3);
  EXPECT_DOUBLE_EQ(run.requests[0].last_token, 3);
}

TEST(Replica, TwoThatShareABatchSlowEachOther) {
  // A step takes 1 s, and 1 s for each prompt in it. A: prompt 0-2. B arrives at 0.5 and waits for
  // the step's end: 2-4 has A's second token and B's prompt; then two steps of 1 s to A's fourth.
  const Replica::StepSeconds seconds = [](const StepBatch& b) { return 1 + b.prompts; };
  const ServiceResult run = run_service(
      {{.arrival = 0, .input = 10, .output = 4}, {.arrival = 0.5, .input = 10, .output = 2}},
      {.replica = with_blocks(100)}, seconds);
  EXPECT_DOUBLE_EQ(run.requests[0].first_token, 2);
  EXPECT_DOUBLE_EQ(run.requests[1].first_token, 4);
  EXPECT_DOUBLE_EQ(run.requests[1].last_token, 5);
  EXPECT_DOUBLE_EQ(run.requests[0].last_token, 6);
}

TEST(Replica, PromptsFirstWhereTheyDoNotMix) {
  // The same: 2-4 has B's prompt alone, so A's other tokens come at 5, 6 and 7.
  const Replica::StepSeconds seconds = [](const StepBatch& b) { return 1 + b.prompts; };
  ReplicaOptions replica = with_blocks(100);
  replica.mixes_prompts = false;
  const ServiceResult run = run_service(
      {{.arrival = 0, .input = 10, .output = 4}, {.arrival = 0.5, .input = 10, .output = 2}},
      {.replica = replica}, seconds);
  EXPECT_DOUBLE_EQ(run.requests[1].first_token, 4);
  EXPECT_DOUBLE_EQ(run.requests[0].last_token, 7);
}

TEST(Replica, WhereTheCacheRunsOutTheLastAdmittedIsPreempted) {
  // Two requests of 16 + 33 tokens and 4 blocks of 16. Step 1: both prompts, a block each. Steps 2
  // to 17: 16 decodes, two blocks each. Step 18 needs a fifth block: B, admitted last, gives up its
  // two. A has its 33rd token at 33. B computes 16 + 17 tokens again in step 34, which gives its
  // 18th, and has its 33rd at 49.
  const ServiceResult run = run_service(
      {{.arrival = 0, .input = 16, .output = 33}, {.arrival = 0, .input = 16, .output = 33}},
      {.replica = with_blocks(4)}, kOneSecond);
  EXPECT_EQ(run.preemptions, 1);
  EXPECT_EQ(run.requests[0].preemptions, 0);
  EXPECT_DOUBLE_EQ(run.requests[0].last_token, 33);
  EXPECT_EQ(run.requests[1].preemptions, 1);
  EXPECT_DOUBLE_EQ(run.requests[1].first_token, 1);
  EXPECT_DOUBLE_EQ(run.requests[1].last_token, 49);
}

TEST(Replica, ARequestThatNeverFitsIsShed) {
  const ServiceResult run = run_service(
      {{.arrival = 0, .input = 60, .output = 10}, {.arrival = 0, .input = 10, .output = 2}},
      {.replica = with_blocks(4)}, kOneSecond);
  EXPECT_EQ(run.shed, 1);
  EXPECT_TRUE(run.requests[0].shed);
  EXPECT_DOUBLE_EQ(run.requests[1].last_token, 2);
}

}  // namespace
}  // namespace railyard::placement::serving
