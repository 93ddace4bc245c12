#include "placement/serving/measured/power_runs.hpp"

#include <gtest/gtest.h>

namespace railyard::placement::serving {
namespace {

MeasuredCells row() {
  return {{"model", "llama2-70b"},        {"gpu", "a100-80gb"}, {"tp", "4"},
          {"prompt_tokens", "512"},       {"batch", "1"},       {"output_tokens", "128"},
          {"prompt_ms", "127"},           {"token_ms", "45"},   {"peak_power_of_tdp", "1"},
          {"average_power_of_tdp", "0.6"}};
}

PowerRuns runs_of(const MeasuredCells& cells) {
  const ServingMap map{.models = {{"llama2-70b", "llama2_70b"}},
                       .clusters = {{"a100-80gb", "dgx_a100_hdr200"}}};
  return power_runs(map, {{.at = "csv", .rows = {cells}}});
}

TEST(PowerRuns, TheMeanOfARunIsThatOfDecodesWhereTheyTakeMostOfIt) {
  // 127 decodes of 45 ms are 5.7 s beside 0.13 s of the prompt; a prompt of 3 s is a third.
  EXPECT_DOUBLE_EQ(runs_of(row()).runs.front().decode_power, 0.6);
  MeasuredCells longer = row();
  longer["prompt_ms"] = "3000";
  EXPECT_DOUBLE_EQ(runs_of(longer).runs.front().decode_power, 0);
}

TEST(PowerRuns, RowsWithoutPowerAreLeftOut) {
  MeasuredCells none = row();
  none["peak_power_of_tdp"] = "";
  const PowerRuns found = runs_of(none);
  EXPECT_TRUE(found.runs.empty());
  EXPECT_EQ(found.left_out.front(), "no power or no times: 1 rows");
}

TEST(PowerRuns, AReadingIsAMeanOverItsWindow) {
  // 50 ms of prompts at 1.0 in a window of 0.2 s, the rest decodes at 0.6: 0.7. A second of prompts
  // fills the window.
  const PredictedPower power{.prompt = 1, .decode = 0.6};
  EXPECT_DOUBLE_EQ(power.highest_reading(0.05), 0.7);
  EXPECT_DOUBLE_EQ(power.highest_reading(1), 1);
  EXPECT_DOUBLE_EQ((PredictedPower{.prompt = 0.4, .decode = 0.6}.highest_reading(1)), 0.6);
}

TEST(PowerRuns, PromptsAndDecodesOfLlama2AreNearTheirReadings) {
  // A100, tp 4, 512 tokens (Splitwise): 1.00 and 0.60 of the TDP.
  ServingPredictor predictor;
  const PowerRun run = runs_of(row()).runs.front();
  const PredictedPower power = predict_power(predictor, run);
  EXPECT_NEAR(power.highest_reading(run.prompt_seconds), 1.0, 0.15);
  EXPECT_NEAR(power.decode, 0.6, 0.06);
}

}  // namespace
}  // namespace railyard::placement::serving
