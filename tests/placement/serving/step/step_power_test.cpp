#include "placement/serving/step/step_power.hpp"

#include <gtest/gtest.h>

namespace railyard::placement::serving {
namespace {

TEST(StepPower, AnIdleGpuAndABusyOneAreTheEndsOfTheLine) {
  // 0.289 idle; a full memory adds 0.714; a full matrix unit reaches the cap.
  const Processor gpu = read_processor("a100_sxm_80");
  const double bandwidth = gpu.gpu.memory_bandwidth.bytes_per_second();
  const double peak = static_cast<double>(gpu.spec.fp16.per_second());
  EXPECT_DOUBLE_EQ(power_share(gpu, 0, 0, 1, gpu.spec.fp16), 0.289);
  EXPECT_DOUBLE_EQ(power_share(gpu, bandwidth, 0, 1, gpu.spec.fp16), 0.289 + 0.714);
  EXPECT_DOUBLE_EQ(power_share(gpu, 0, peak, 1, gpu.spec.fp16), 1.03);
}

TEST(StepPower, DecodesOfLlama2AreAsMeasured) {
  // Splitwise, A100, one sequence of 512 tokens: 0.60 of the TDP with tp 4 at 45.0 ms a token, 0.74
  // with tp 2 at 60.0 ms.
  const Model model = read_model("llama2_70b");
  const Processor gpu = read_processor("a100_sxm_80");
  const auto share = [&](int tp, double seconds) {
    const Deployment d{.tp = tp};
    return step_power_share(model, gpu, d, serving_memory(model, gpu, d), decode_batch(1, 512),
                            seconds);
  };
  EXPECT_NEAR(share(4, 0.045), 0.60, 0.06);
  EXPECT_NEAR(share(2, 0.060), 0.74, 0.074);
}

TEST(StepPower, ExpertsThatNoTokenChoosesAreNotRead) {
  // Qwen3 30B A3B: 8 of 128 experts for one token, all of them for many.
  const Model model = read_model("qwen3_30b_a3b");
  const Processor gpu = read_processor("h100_sxm");
  const Deployment d{};
  const ServingMemory memory = serving_memory(model, gpu, d);
  const double one = step_power_share(model, gpu, d, memory, decode_batch(1, 1), 0.05);
  const double many = step_power_share(model, gpu, d, memory, decode_batch(500, 1), 0.05);
  EXPECT_LT(one - 0.289, 0.25 * (many - 0.289));
}

}  // namespace
}  // namespace railyard::placement::serving
