#include "placement/serving/load/closed_loop.hpp"

#include <gtest/gtest.h>

#include "placement/serving/load/open_load.hpp"

namespace railyard::placement::serving {
namespace {

StepModel llama() {
  static const Model model = read_model("llama3_8b");
  static const Processor gpu = read_processor("h100_sxm");
  return StepModel({.model = model,
                    .gpu = gpu,
                    .fabric = {.gpus_per_node = 8},
                    .deployment = {},
                    .efficiency = fitted_efficiency(Engine::vllm)});
}

TEST(ClosedLoop, AClientAloneSeesItsPromptAndThenItsDecodes) {
  const StepModel model = llama();
  const ClosedResult r = closed_loop(model, {.concurrency = 1, .input = 1000, .output = 200});
  EXPECT_DOUBLE_EQ(r.tpot, model.time(decode_batch(1, 1100)).total());
  EXPECT_DOUBLE_EQ(r.ttft,
                   model.request_seconds() + model.time(prompt_part(0, 1000, true)).total());
  EXPECT_NEAR(r.tokens_per_s, 200 / (r.ttft + 199 * r.tpot), 1e-9);
}

TEST(ClosedLoop, InABurstHalfOfTheOtherPromptsComeBefore) {
  // Of 9 clients 4 others' prompts run within a request's decodes, on average.
  const StepModel model = llama();
  const ClosedResult r =
      closed_loop(model, {.concurrency = 9, .input = 1000, .output = 200, .burst = true});
  const StepBatch decodes = decode_batch(9, 1100);
  StepBatch mixed = decodes;
  mixed += prompt_part(0, 1000, true);
  const double step = model.time(decodes).total(), longer = model.time(mixed).total() - step;
  EXPECT_NEAR(r.tpot, step + 4 * longer / 200, 1e-12);
  EXPECT_NEAR(r.ttft - model.request_seconds(), 5 * model.time(prompt_part(0, 1000, true)).total(),
              1e-12);
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
