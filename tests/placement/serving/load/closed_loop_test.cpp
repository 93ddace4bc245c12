#include "placement/serving/load/closed_loop.hpp"

#include <gtest/gtest.h>

#include "placement/serving/load/open_load.hpp"
#include "placement/serving/load/prompt_batch.hpp"

namespace railyard::placement::serving {
namespace {

StepModel llama(Engine engine = Engine::vllm) {
  static const Model model = read_model("llama3_8b");
  static const Processor gpu = read_processor("h100_sxm");
  return StepModel({.model = model,
                    .gpu = gpu,
                    .fabric = {.gpus_per_node = 8},
                    .deployment = {.engine = engine},
                    .efficiency = fitted_efficiency(engine)});
}

TEST(ClosedLoop, AClientAloneSeesItsPromptAndThenItsDecodes) {
  const StepModel model = llama();
  const ClosedResult r = closed_loop(model, {.concurrency = 1, .input = 1000, .output = 200});
  EXPECT_DOUBLE_EQ(r.tpot, model.time(decode_batch(1, 1100)).total());
  EXPECT_DOUBLE_EQ(r.ttft,
                   model.frontend().seconds(1000) + model.time(prompt_part(0, 1000, true)).total());
  EXPECT_NEAR(r.tokens_per_s, 200 / (r.ttft + 199 * r.tpot), 1e-9);
}

TEST(ClosedLoop, EqualPromptsComeTogetherWhereTheyRunBeforeDecodes) {
  // Of 9 clients 4 others' prompts run within a request's decodes, on average.
  const StepModel model = llama(Engine::sglang);
  const ClosedResult r =
      closed_loop(model, {.concurrency = 9, .input = 1000, .output = 200, .equal_lengths = true});
  const StepBatch decodes = decode_batch(9, 1100);
  StepBatch mixed = decodes;
  mixed += prompt_part(0, 1000, true);
  const double step = model.time(decodes).total(), longer = model.time(mixed).total() - step;
  EXPECT_NEAR(r.tpot, step + 4 * longer / 200, 1e-12);
  EXPECT_NEAR(r.ttft - model.frontend().seconds(1000),
              5 * model.time(prompt_part(0, 1000, true)).total(), 1e-12);
}

TEST(ClosedLoop, EqualPromptsFillStepsInGroups) {
  // A step of 8,192 tokens holds 4 prompts of 2,048. A group waits for the step of the four before
  // it and then has its own; the prompts of the 28 others fall into a request's decodes, less the
  // share of its time in which it does not decode.
  const StepModel model = llama();
  const ClosedResult r =
      closed_loop(model, {.concurrency = 32, .input = 2048, .output = 200, .equal_lengths = true});
  const StepBatch decodes = decode_batch(r.running, 2148);
  StepBatch mixed = decodes;
  for (int i = 0; i < 4; ++i) mixed += prompt_part(0, 2048, true);
  const double step = model.time(decodes).total(), both = model.time(mixed).total();
  EXPECT_NEAR(r.tpot, step + 28 * (r.running / 32) * (both - step) / 4 / 200, 1e-3 * r.tpot);
  EXPECT_NEAR(r.ttft, model.frontend().seconds(2048) + 2 * both, 1e-3 * r.ttft);
}

TEST(ClosedLoop, EqualPromptsThatOneStepHoldsDoNotSlowEachOther) {
  // All 4 prompts run before all decodes: a token takes as long as without prompts.
  const StepModel model = llama();
  const ClosedResult r =
      closed_loop(model, {.concurrency = 4, .input = 1000, .output = 200, .equal_lengths = true});
  EXPECT_NEAR(r.tpot, model.time(decode_batch(r.running, 1100)).total(), 1e-12);
}

TEST(PromptBatch, PromptsThatArriveDuringAStepWithPromptsShareTheNext) {
  // Few arrivals: a prompt alone. At a rate of 2 / t(two prompts) two arrive in each such step.
  const StepModel model = llama();
  const StepBatch decodes = decode_batch(64, 8000), prompt = prompt_part(0, 600, true);
  const auto with = [&](double n) {
    StepBatch all = decodes;
    for (int i = 0; i < n; ++i) all += prompt;
    return model.time(all).total();
  };
  const double alone = model.time(decodes).total();
  const PromptBatch few = prompt_batch(model, decodes, prompt, 0.01, alone);
  EXPECT_DOUBLE_EQ(few.prompts, 1);
  EXPECT_DOUBLE_EQ(few.added, with(1) - alone);
  const PromptBatch many = prompt_batch(model, decodes, prompt, 2 / with(2), alone);
  EXPECT_NEAR(many.prompts, 2, 0.1);
  EXPECT_NEAR(many.seconds, with(2), 0.05 * with(2));
  EXPECT_DOUBLE_EQ(many.added, (many.seconds - alone) / many.prompts);
  // As many as the budget of 8,192 tokens holds.
  EXPECT_NEAR(prompt_batch(model, decodes, prompt, 1e6, alone).prompts, 8192.0 / 600, 1e-9);
}

TEST(OpenLoad, RunningSequencesFollowLittlesLaw) {
  const StepModel model = llama();
  const ServingMemory memory{.kv_pool = 50e9, .kv_token_bytes = 131'072};
  const OpenResult r = open_load(model, memory, {.rate = 4, .input = 1000, .output = 200});
  ASSERT_TRUE(r.stable);
  EXPECT_NEAR(r.running, 4 * 200 * r.step, 0.01 * r.running);
}

TEST(OpenLoad, ASmallCacheSaturatesFirst) {
  // Two sequences of 1,200 tokens fit: at most 2 run, so the rate is below 2 / (200 steps).
  const StepModel model = llama();
  const ServingMemory memory{.kv_pool = 2 * 1200 * 100.0, .kv_token_bytes = 100};
  const Saturation most = saturation(model, memory, {.input = 1000, .output = 200});
  EXPECT_EQ(most.limit, ServingLimit::kv_memory);
  const double step = model.time(decode_batch(2, 1100)).total();
  EXPECT_LT(most.rate, 2 / (200 * step));
  EXPECT_GT(most.rate, 0.8 * 2 / (200 * step));
}

}  // namespace
}  // namespace railyard::placement::serving
