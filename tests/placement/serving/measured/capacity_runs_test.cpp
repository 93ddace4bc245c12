#include "placement/serving/measured/capacity_runs.hpp"

#include <gtest/gtest.h>

#include "core/diagnostic.hpp"

namespace railyard::placement::serving {
namespace {

MeasuredCells row() {
  return {{"model", "llama3.1-8b"},
          {"accelerator", "NVIDIA H100"},
          {"gpus", "8"},
          {"scenario", "Server"},
          {"weights", "fp8"},
          {"result_tokens_per_s", "50000"},
          {"output_tokens_per_sample", "128"},
          {"ttft_limit_p99_ms", "2000"},
          {"tpot_limit_p99_ms", "100"}};
}

CapacityRuns runs_of(const MeasuredCells& cells) {
  const ServingMap map{.models = {{"llama3.1-8b", "llama3_8b"}},
                       .clusters = {{"NVIDIA H100", "dgx_h100_ndr400"}},
                       .rules = {{.when = {{"model", "8b"}}, .set = {{"input_tokens", "778"}}}}};
  return capacity_runs(map, {{.at = "csv", .rows = {cells}}});
}

TEST(CapacityRuns, ARowBecomesAMachineALoadAndItsLimits) {
  const CapacityRun run = runs_of(row()).runs.front();
  EXPECT_EQ(run.gpus, 8);
  EXPECT_DOUBLE_EQ(run.input, 778);
  EXPECT_DOUBLE_EQ(run.ttft_limit, 2);
  EXPECT_DOUBLE_EQ(run.tpot_limit, 0.1);
  EXPECT_FALSE(run.at_once);
  EXPECT_EQ(run.formats.mlp, NumberFormat::fp8);
}

TEST(CapacityRuns, AnswersAreSpreadOrEqual) {
  MeasuredCells cells = row();
  EXPECT_FALSE(runs_of(cells).runs.front().equal_answers);
  cells["answers"] = "spread";
  EXPECT_FALSE(runs_of(cells).runs.front().equal_answers);
  cells["answers"] = "equal";
  EXPECT_TRUE(runs_of(cells).runs.front().equal_answers);
  cells["answers"] = "long";
  EXPECT_THROW(static_cast<void>(runs_of(cells)), InputError);
}

TEST(CapacityRuns, StepsAreSmallerWhereALimitOfLatencyIsTight) {
  // 8,192 tokens of Llama 3 8B take 8,192 · 2 · 7.5e9 operations, at least 62 ms at 1,979 TFLOP/s
  // in fp8; 4,096 take 31 ms. A request that shares each of its steps with prompts and may take 25
  // ms per token needs smaller ones.
  ServingPredictor predictor;
  CapacityRun run = runs_of(row()).runs.front();
  run.gpus = 1;
  run.equal_answers = true;
  run.tpot_limit = 0.025;
  const PredictedCapacity tight = predict_capacity(predictor, run, shipped_efficiencies());
  EXPECT_GT(tight.tokens_per_s, 0);
  EXPECT_LT(tight.deployment.token_budget, 4096);
  run.at_once = true;
  EXPECT_EQ(predict_capacity(predictor, run, shipped_efficiencies()).deployment.token_budget, 8192);
}

TEST(CapacityRuns, ARunThatEndsWithItsLongestAnswersGivesLess) {
  // One GPU, 20 queries at once of 128 tokens on average, all of which fit: the run is as long as
  // its longest answer. That of 20 exponential ones is ln(20) + 0.58 = 3.6 times the mean, so the
  // mean batch is below 6, where hundreds fit.
  ServingPredictor predictor;
  MeasuredCells cells = row();
  cells["scenario"] = "Offline";
  CapacityRun run = runs_of(cells).runs.front();
  run.gpus = 1;
  const double steady = predict_capacity(predictor, run, shipped_efficiencies()).tokens_per_s;
  run.queries = 20;
  run.longest_answer = 10'000;
  const double whole = predict_capacity(predictor, run, shipped_efficiencies()).tokens_per_s;
  EXPECT_GT(whole, 0);
  EXPECT_LT(whole, steady / 2);
  cells["queries"] = "26328";
  cells["longest_prompt"] = "3140";
  EXPECT_EQ(runs_of(cells).runs.front().queries, 26328);
  EXPECT_EQ(runs_of(cells).runs.front().longest_prompt, 3140);
  cells["scenario"] = "Server";
  EXPECT_EQ(runs_of(cells).runs.front().queries, 0);
  EXPECT_EQ(runs_of(row()).runs.front().longest_prompt, 2 * 778);
}

TEST(CapacityRuns, EachAnswerTakesTheHostsTimePerSequence) {
  // All at once, about as many answers as the KV cache holds: with 1 ms of the host per sequence
  // and step a replica gives fewer than 1,000 tokens per second.
  ServingPredictor predictor;
  CapacityRun run = runs_of(row()).runs.front();
  run.gpus = 1;
  run.at_once = true;
  EngineEfficiencies slow = shipped_efficiencies();
  slow.shared.sequence_us = 1000;
  const double tokens = predict_capacity(predictor, run, slow).tokens_per_s;
  EXPECT_GT(tokens, 500);
  EXPECT_LT(tokens, 1000);
}

TEST(CapacityRuns, AServerWithoutLimitsIsLeftOut) {
  MeasuredCells none = row();
  none["ttft_limit_p99_ms"] = "";
  EXPECT_TRUE(runs_of(none).runs.empty());
}

TEST(CapacityRuns, TighterLimitsLowerTheThroughputAndNoLimitsAreTheMost) {
  ServingPredictor predictor;
  const EngineEfficiencies with = shipped_efficiencies();
  CapacityRun run = runs_of(row()).runs.front();
  run.gpus = 1;
  const double server = predict_capacity(predictor, run, with).tokens_per_s;
  run.tpot_limit = 0.015;
  const double tight = predict_capacity(predictor, run, with).tokens_per_s;
  run.tpot_limit = 1e-6;
  EXPECT_EQ(predict_capacity(predictor, run, with).tokens_per_s, 0);
  run.at_once = true;
  const double offline = predict_capacity(predictor, run, with).tokens_per_s;
  EXPECT_GT(tight, 0);
  EXPECT_LT(tight, server);
  EXPECT_LT(server, 1.02 * offline);
  // 8 GPUs are as many replicas of one GPU, or better.
  run.gpus = 2;
  EXPECT_GE(predict_capacity(predictor, run, with).tokens_per_s, 2 * offline - 1e-6);
}

}  // namespace
}  // namespace railyard::placement::serving
