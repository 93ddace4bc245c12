#include "placement/serving/measured/serving_runs.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "placement/serving/measured/serving_fit.hpp"
#include "placement/serving/service/service_run.hpp"

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

/// The same with a prefill pool of three replicas with tp 2 and two that decode with tp 4.
MeasuredCells row_with_pools() {
  MeasuredCells one = row();
  one["mode"] = "disagg";
  one["prefill_num_workers"] = "3";
  one["prefill_tp_size"] = "2";
  one["prefill_token_budget"] = "4096";
  one["decode_num_workers"] = "2";
  one["decode_tp_size"] = "4";
  return one;
}

TEST(ServingRuns, ADisaggregatedRowHasTwoPools) {
  const ServingRuns found = serving_runs(map(), {{.at = "csv", .rows = {row_with_pools()}}});
  ASSERT_EQ(found.runs.size(), 1U);
  const ServingRun& run = found.runs.front();
  ASSERT_TRUE(run.prefill);
  EXPECT_EQ(run.prefill->replicas, 3);
  EXPECT_EQ(run.prefill->deployment.tp, 2);
  EXPECT_EQ(run.prefill->deployment.token_budget, 4096);
  EXPECT_EQ(run.prefill->deployment.formats.mlp, NumberFormat::fp8);
  EXPECT_EQ(run.replicas, 2);
  EXPECT_EQ(run.deployment.tp, 4);
  EXPECT_EQ(run.gpus(), 3 * 2 + 2 * 4);
  EXPECT_DOUBLE_EQ(run.clients(), 64);
  EXPECT_DOUBLE_EQ(run.load.concurrency, 32);
  EXPECT_NE(run.group.find("pools"), std::string::npos);
}

TEST(ServingRuns, SettingsOfPoolsAreCells) {
  MeasuredCells one = row_with_pools();
  one["backend"] = "sglang";
  one["prefill_max_sequences"] = "2";
  one["decode_max_sequences"] = "16";
  one["decode_hold_steps"] = "10";
  one["frontends"] = "9";
  const ServingRun run = serving_runs(map(), {{.at = "csv", .rows = {one}}}).runs.front();
  EXPECT_EQ(run.prefill->deployment.max_sequences, 2);
  EXPECT_EQ(run.max_sequences, 16);
  EXPECT_EQ(run.frontends, 9);
  EXPECT_EQ(look_steps(run.deployment), 10);
  const ServingRun other =
      serving_runs(map(), {{.at = "csv", .rows = {row_with_pools()}}}).runs.front();
  EXPECT_EQ(other.max_sequences, 0);
  EXPECT_EQ(look_steps(other.deployment), 0);  // vLLM computes the prompt first
}

TEST(ServingRuns, PlacesToDecodeLimitAClosedLoop) {
  // 64 clients of two replicas with 16 places each: half of them wait for as long as an answer
  // takes.
  MeasuredCells one = row_with_pools();
  one["decode_max_sequences"] = "16";
  const ServingRuns found = serving_runs(map(), {{.at = "csv", .rows = {one}}});
  ServingPredictor predictor;
  const ClosedResult run = predictor.simulate(found.runs[0], shipped_efficiencies());
  EXPECT_NEAR(run.ttft / (921.6 * run.tpot), 1, 0.1);
}

TEST(ServingRuns, PromptsOfAnotherPoolDoNotLengthenDecodes) {
  // 64 clients of one replica with tp 4, and of one such replica behind a prefill pool.
  MeasuredCells pools = row_with_pools();
  pools["decode_num_workers"] = "1";
  const ServingRuns found = serving_runs(map(), {{.at = "csv", .rows = {row(), pools}}});
  ServingPredictor predictor;
  const ClosedResult together = predictor.simulate(found.runs[0], shipped_efficiencies());
  const ClosedResult apart = predictor.simulate(found.runs[1], shipped_efficiencies());
  EXPECT_LT(apart.tpot, 0.95 * together.tpot);
  EXPECT_GT(apart.tpot, 0.5 * together.tpot);
  EXPECT_GT(apart.ttft, 0);
}

TEST(ServingRuns, AFitDoesNotSeeRunsWithPools) {
  MeasuredCells pools = row_with_pools();
  pools["silicon_tpot_ms"] = "9000";
  const ServingRuns one = serving_runs(map(), {{.at = "csv", .rows = {row()}}});
  const ServingRuns two = serving_runs(map(), {{.at = "csv", .rows = {row(), pools}}});
  const auto fit = [](const ServingRuns& found) {
    std::vector<const ServingRun*> runs;
    for (const ServingRun& run : found.runs) runs.push_back(&run);
    ServingPredictor predictor;
    return fit_serving(predictor, runs).efficiencies.shared.weights;
  };
  EXPECT_EQ(fit(one), fit(two));
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
