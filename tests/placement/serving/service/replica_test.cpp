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

/// A decodes 30 tokens from time 1 on; B arrives at 2.5. Steps of 1 s.
double first_token_of_second(const ReplicaOptions& replica) {
  return run_service({{.arrival = 0, .input = 10, .output = 30},
                      {.arrival = 2.5, .input = 20, .output = 1}},
                     {.replica = replica}, kOneSecond)
      .requests[1]
      .first_token;
}

TEST(Replica, AnEngineThatChoosesAheadMissesTheNextStep) {
  // B runs in the step from 3; the step from 3 was chosen at 2, so then in that from 4.
  ReplicaOptions replica = with_blocks(100);
  EXPECT_DOUBLE_EQ(first_token_of_second(replica), 4);
  replica.chooses_ahead = true;
  EXPECT_DOUBLE_EQ(first_token_of_second(replica), 5);
}

TEST(Replica, AnEngineThatPollsSeesARequestAtItsNextLook) {
  // A's prompt ends at 1, and the engine looks again then. It looks in every fifth step of decodes
  // after that: those from 1 and 6, so B runs from 6 to 7.
  ReplicaOptions replica = with_blocks(100);
  replica.hold = {.steps = 5, .is_periodic = true};
  EXPECT_DOUBLE_EQ(first_token_of_second(replica), 7);
}

TEST(Replica, AHeldPromptWaitsForOthersOrForItsLimit) {
  // B waits in the steps from 3 to 8 and runs from 8 to 9; 21 tokens are enough to start at 3.
  ReplicaOptions replica = with_blocks(100);
  replica.hold = {.steps = 5};
  EXPECT_DOUBLE_EQ(first_token_of_second(replica), 9);
  replica.hold.tokens = 21;
  EXPECT_DOUBLE_EQ(first_token_of_second(replica), 4);
  replica.hold.tokens = 22;
  EXPECT_DOUBLE_EQ(first_token_of_second(replica), 9);
}

TEST(Replica, APromptThatIsNotCutWaitsForAStepThatHoldsIt) {
  // Budget 64: prompts of 40 and 40 run in two steps; cut, the second has 24 tokens in the first.
  const std::vector<Request> requests{{.arrival = 0, .input = 40, .output = 1},
                                      {.arrival = 0, .input = 40, .output = 1},
                                      {.arrival = 0, .input = 40, .output = 1}};
  ReplicaOptions replica = with_blocks(100);
  const auto last = [&] {
    return run_service(requests, {.replica = replica}, kOneSecond).requests[2].first_token;
  };
  EXPECT_DOUBLE_EQ(last(), 2);
  replica.cuts_prompts = false;
  EXPECT_DOUBLE_EQ(last(), 3);
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

TEST(Replica, WhereTheHostHasRoomTheLastAdmittedIsCopiedThereAndBack) {
  // The same with 0.25 s per block to or from the host. Step 18 begins when B's two blocks (16 + 16
  // tokens) are copied: it takes 1.5 s, and A has its 33rd token at 33.5. B needs its two blocks
  // and a third for the next token; one is free until A ends. Step 34 copies two blocks back and
  // gives B's 18th token at 33.5 + 0.5 + 1 = 35; the 33rd comes at 50.
  ReplicaOptions replica = with_blocks(4);
  replica.host_blocks = 2;
  replica.swap_seconds = 0.25;
  const std::vector<Request> requests{{.arrival = 0, .input = 16, .output = 33},
                                      {.arrival = 0, .input = 16, .output = 33}};
  const ServiceResult run = run_service(requests, {.replica = replica}, kOneSecond);
  EXPECT_EQ(run.preemptions, 1);
  EXPECT_EQ(run.swaps, 1);
  EXPECT_DOUBLE_EQ(run.requests[0].last_token, 33.5);
  EXPECT_DOUBLE_EQ(run.requests[1].last_token, 50);
  // With room for one block B computes its tokens again, as above.
  replica.host_blocks = 1;
  const ServiceResult again = run_service(requests, {.replica = replica}, kOneSecond);
  EXPECT_EQ(again.swaps, 0);
  EXPECT_DOUBLE_EQ(again.requests[1].last_token, 49);
}

// A millisecond per token of a prompt, and a second for decodes.
const Replica::StepSeconds kPerToken = [](const StepBatch& b) {
  return b.prompt_tokens / 1000 + (b.decodes > 0 ? 1 : 0);
};

ReplicaOptions large_steps(std::int64_t blocks) {
  return {.token_budget = 4096, .max_sequences = 8, .block_tokens = 16, .blocks = blocks};
}

TEST(Replica, ACachedPrefixIsNotComputedAgain) {
  // Both prompts begin with the same two blocks of 512 tokens: the second computes 1,100 - 1,024.
  const ServiceResult run =
      run_service({{.arrival = 0, .input = 1024, .output = 1, .prefix = {1, 2}},
                   {.arrival = 10, .input = 1100, .output = 1, .prefix = {1, 2, 3}}},
                  {.replica = large_steps(200)}, kPerToken);
  EXPECT_DOUBLE_EQ(run.requests[0].ttft(), 1.024);
  EXPECT_NEAR(run.requests[1].ttft(), 0.076, 1e-12);
  EXPECT_EQ(run.requests[1].cached, 1024);
  EXPECT_NEAR(run.cached_share(), 1024.0 / 2124, 1e-12);
}

TEST(Replica, APromptThatIsCachedAsAWholeComputesItsLastBlock) {
  const ServiceResult run =
      run_service({{.arrival = 0, .input = 1024, .output = 1, .prefix = {1, 2}},
                   {.arrival = 10, .input = 1024, .output = 1, .prefix = {1, 2}}},
                  {.replica = large_steps(200)}, kPerToken);
  EXPECT_NEAR(run.requests[1].ttft(), 0.512, 1e-12);
}

TEST(Replica, CachedPrefixesGiveWayToRunningSequences) {
  // 70 blocks. The first leaves 2 x 32 blocks of prefix. The second needs ceil(600 / 16) = 38: the
  // prefix's second half is evicted. The third then computes 1,100 - 512 tokens.
  const ServiceResult run =
      run_service({{.arrival = 0, .input = 1024, .output = 1, .prefix = {1, 2}},
                   {.arrival = 10, .input = 600, .output = 1},
                   {.arrival = 20, .input = 1100, .output = 1, .prefix = {1, 2, 3}}},
                  {.replica = large_steps(70)}, kPerToken);
  EXPECT_NEAR(run.requests[1].ttft(), 0.6, 1e-12);
  EXPECT_EQ(run.requests[2].cached, 512);
  EXPECT_NEAR(run.requests[2].ttft(), 0.588, 1e-12);
}

TEST(Replica, SequencesThatShareAPrefixShareItsBlocks) {
  // Each holds 1,024 + 16 + 16 tokens: 66 blocks, 64 of them shared. 70 blocks hold three of them,
  // 64 + 3 * 2, from the second admission on; nothing is preempted.
  std::vector<Request> requests{{.arrival = 0, .input = 1040, .output = 17, .prefix = {1, 2}}};
  for (int i = 0; i < 2; ++i)
    requests.push_back({.arrival = 1.5, .input = 1040, .output = 17, .prefix = {1, 2}});
  const ServiceResult run = run_service(requests, {.replica = large_steps(70)}, kPerToken);
  EXPECT_EQ(run.preemptions, 0);
  EXPECT_EQ(run.requests[2].cached, 1024);
  // Both prompts, 16 tokens each, run in the step after that from 1.04 to 2.04.
  EXPECT_NEAR(run.requests[2].first_token, 2.04 + 1.032, 1e-9);
}

TEST(Replica, AStatedShareOfThePromptIsNotComputed) {
  // 1,000 tokens of which 400 are cached: whole blocks of 16, so 400.
  const ServiceResult run = run_service({{.arrival = 0, .input = 1000, .output = 1, .cached = 400}},
                                        {.replica = large_steps(100)}, kPerToken);
  EXPECT_NEAR(run.requests[0].ttft(), 0.6, 1e-12);
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
