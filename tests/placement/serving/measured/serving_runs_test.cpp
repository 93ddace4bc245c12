#include "placement/serving/measured/serving_runs.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::placement::serving {
namespace {

MeasuredCells row() {
  return {{"mode", "agg"},
          {"model_path", "meta-llama/Llama-3.1-70B"},
          {"system", "h100_sxm"},
          {"backend", "vllm"},
          {"gemm_quant_mode", "fp8"},
          {"moe_quant_mode", "fp8"},
          {"tp_size", "4"},
          {"attention_dp_size", "0"},
          {"concurrency", "64"},
          {"isl", "1024"},
          {"osl", "1024"},
          {"silicon_ttft_ms", "256"},
          {"silicon_tpot_ms", "20"}};
}

ServingMap map() {
  return {.models = {{"Llama-3.1-70B", "llama3_70b"}},
          .clusters = {{"h100_sxm", "dgx_h100_ndr400"}},
          .rules = {{.when = {{"isl", "^1024$"}}, .set = {{"length_share", "0.9"}}},
                    {.when = {{"osl", "^7$"}}, .reason = "too short"}}};
}

TEST(ServingRuns, ARowBecomesADeploymentAndALoad) {
  const ServingRuns found = serving_runs(map(), {{.at = "csv", .rows = {row()}}});
  ASSERT_EQ(found.runs.size(), 1U);
  const ServingRun& run = found.runs.front();
  EXPECT_EQ(run.deployment.tp, 4);
  EXPECT_EQ(run.deployment.attention_dp, 1);
  EXPECT_EQ(run.deployment.formats.mlp, NumberFormat::fp8);
  EXPECT_DOUBLE_EQ(run.load.input, 921.6);
  EXPECT_DOUBLE_EQ(run.measured_tpot, 0.02);
  // 64 · 921.6 tokens in 0.256 s and 920.6 times 20 ms, on 4 GPUs.
  EXPECT_NEAR(run.tokens_per_s_per_gpu(run.measured_ttft, run.measured_tpot),
              64 * 921.6 / (0.256 + 920.6 * 0.02) / 4, 1e-9);
}

TEST(ServingRuns, ScalesOfExpertsAreLaidOutOnceOrInEachStep) {
  const auto laid_out = [](const std::string& scales) {
    MeasuredCells one = row();
    one["expert_scales"] = scales;
    return serving_runs(map(), {{.at = "csv", .rows = {one}}})
        .runs.front()
        .deployment.lays_out_scales;
  };
  EXPECT_FALSE(laid_out(""));
  EXPECT_FALSE(laid_out("once"));
  EXPECT_TRUE(laid_out("each_step"));
  EXPECT_THROW(laid_out("often"), InputError);
}

TEST(ServingRuns, ABudgetOfAPromptGrowsWithTheClients) {
  // 128 tokens, one of each of 64 clients, and 1,500 more; a share of 1 means equal lengths.
  MeasuredCells one = row();
  one["isl"] = "128";
  one["spare_tokens"] = "1500";
  one["client"] = "perf_analyzer";
  const ServingRun run = serving_runs(map(), {{.at = "csv", .rows = {one}}}).runs.front();
  EXPECT_EQ(run.deployment.token_budget, 128 + 64 + 1500);
  EXPECT_TRUE(run.load.equal_lengths);
  EXPECT_TRUE(run.native_client);
  const ServingRun other = serving_runs(map(), {{.at = "csv", .rows = {row()}}}).runs.front();
  EXPECT_FALSE(other.load.equal_lengths);
  EXPECT_FALSE(other.native_client);
}

TEST(ServingRuns, RulesAndUnknownNamesLeaveRowsOut) {
  MeasuredCells unknown = row(), shorter = row();
  unknown["model_path"] = "someone/Else";
  shorter["osl"] = "7";
  const ServingRuns found = serving_runs(map(), {{.at = "csv", .rows = {unknown, shorter}}});
  EXPECT_TRUE(found.runs.empty());
  ASSERT_EQ(found.left_out.size(), 2U);
  EXPECT_EQ(found.left_out[1], "too short: 1 rows");
}

TEST(ServingRuns, ATextThatIsNoNumberIsAnError) {
  MeasuredCells wrong = row();
  wrong["tp_size"] = "four";
  EXPECT_THROW((void)serving_runs(map(), {{.at = "csv", .rows = {wrong}}}), InputError);
}

}  // namespace
}  // namespace railyard::placement::serving
