#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "placement/measured/efficiency_fit.hpp"
#include "placement/measured/measured_rows.hpp"
#include "placement/measured/read_training_map.hpp"
#include "placement/measured/step_errors.hpp"
#include "placement/measured/step_predictor.hpp"
#include "placement/measured/training_map_fields.hpp"

namespace railyard::placement {
namespace {

std::string written(const std::string& name, const std::string& text) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / "training_validate";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name) << text;
  return (folder / name).string();
}

TEST(MeasuredRows, AreReadFromCsvAndFromAnyDepthOfJson) {
  const auto csv = read_measured_rows(written("steps.csv", "tp,pp,iteration_ms\r\n2,,10.5\r\n"));
  ASSERT_EQ(csv.size(), 1u);
  EXPECT_EQ(csv[0].rows.at(0), (MeasuredCells{{"tp", "2"}, {"iteration_ms", "10.5"}}));
  const auto json = read_measured_rows(written("steps.json", R"({"tables": {"one": {
      "source": "a paper", "columns": ["tp", "s"], "rows": [[8, 1.5], [4, null]]}},
      "mlperf": {"rows": [{"config": {"TP": "4"}, "runs": [{"s": 2}, {"s": 3}]}]}})"));
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0].at, "/tables/one/rows");
  EXPECT_NE(json[0].context.find("source: a paper"), std::string::npos);
  EXPECT_EQ(json[0].rows.at(1), (MeasuredCells{{"tp", "4"}})) << "null is not there";
  EXPECT_EQ(json[1].rows.at(0).at("runs.1.s"), "3");
  EXPECT_TRUE(pointer_matches("/md/*/tables/*/rows", "/md/0/tables/12/rows"));
  EXPECT_FALSE(pointer_matches("/md/*/rows", "/md/0/tables/12/rows"));
  EXPECT_THROW((void)read_measured_rows(written("none.json", R"({"tables": {}})")), InputError);
}

TrainingSet gpt_set() {
  return {.name = "test",
          .rows = "csv",
          .set = {{"cluster", "dgx_a100_hdr200"},
                  {"model.vocabulary", "51200"},
                  {"job.attention", "unfused"},
                  {"job.batch", "16"}},
          .columns = {{"model.hidden", "h"},
                      {"model.layers", "L"},
                      {"model.heads", "a"},
                      {"job.sequence", "s"},
                      {"gpus", "n"},
                      {"strategy.tp", "tp"}},
          .rules = {{.when = {{"n", "^8$"}}, .set = {{"strategy.recompute", "full"}}}},
          .measured = "value",
          .unit = StepUnit::tflops_recomputed};
}

/// A row of a model of 24 layers, 1,920 wide, on 8 GPUs at 100 TFLOP/s each, with other cells
/// changed or added.
MeasuredCells gpt_row(const MeasuredCells& others) {
  MeasuredCells row{{"h", "1920"}, {"L", "24"}, {"a", "15"},     {"s", "1024"},
                    {"n", "8"},    {"tp", "1"}, {"value", "100"}};
  for (const auto& [column, text] : others) row[column] = text;
  return row;
}

TEST(TrainingRuns, TflopsBecomeSecondsByEquationThree) {
  // 96·B·s·L·h²·(1 + s/6h + V/16Lh) = 96·16·1024·24·1920²·(1 + 1024/11520 + 51200/737280)
  // = 1.391569...e14 · 1.158333 = 1.611901e14; over 8 GPUs of 100 TFLOP/s: 0.201488 s.
  const MeasuredRows rows{.at = "csv", .context = {}, .rows = {gpt_row({})}};
  const TrainingRuns runs = training_runs({.sets = {gpt_set()}}, {rows});
  ASSERT_EQ(runs.runs.size(), 1u);
  const TrainingRun& run = runs.runs.front();
  EXPECT_NEAR(run.measured_s, 0.201488, 1e-6);
  EXPECT_EQ(run.strategy.dp, 8) << "what the GPUs leave";
  EXPECT_EQ(run.strategy.recompute, Recompute::full) << "by the rule";
  EXPECT_EQ(run.job.model.ffn, 4 * 1920);
}

// Settings that are lists are read as JSON; chunks that do not divide become the nearest that do,
// with a note; memory is that of its column.
TEST(TrainingRuns, ListsAndChunksAndMemory) {
  TrainingSet set = gpt_set();
  set.set["job.precisions"] = R"([{"part": "mlp", "precision": "fp8"}])";
  set.set["strategy.pp"] = "2";
  set.set["strategy.interleave"] = "5";
  set.set["strategy.micro_batch"] = "2";
  set.memory = "gib";
  const MeasuredRows rows{.at = "csv", .context = {}, .rows = {gpt_row({{"gib", "12.5"}})}};
  const TrainingRuns runs = training_runs({.sets = {set}}, {rows});
  ASSERT_EQ(runs.runs.size(), 1u) << runs.left_out.front();
  const TrainingRun& run = runs.runs.front();
  EXPECT_EQ(run.job.precision_of(LayerPart::mlp), Precision::fp8);
  EXPECT_EQ(run.job.precision_of(LayerPart::attention), Precision::bf16);
  EXPECT_EQ(run.strategy.interleave, 4) << "of the 12 layers of a stage; 4 and 6 are as near";
  EXPECT_EQ(run.measured_gib, 12.5);
  ASSERT_EQ(runs.assumed.size(), 1u);
  EXPECT_NE(runs.assumed[0].find("interleave 4 is used"), std::string::npos) << runs.assumed[0];
}

TEST(TrainingRuns, RowsThatMakeNoStrategyAreLeftOutWithTheReason) {
  const MeasuredRows rows{.at = "csv",
                          .file = "steps.csv",
                          .context = {},
                          .rows = {gpt_row({{"tp", "2"}}), {{"h", "1920"}}}};
  const TrainingRuns runs = training_runs({.sets = {gpt_set()}}, {rows});
  EXPECT_TRUE(runs.runs.empty());
  ASSERT_EQ(runs.left_out.size(), 2u);
  EXPECT_NE(runs.left_out[0].find("15 attention heads"), std::string::npos) << runs.left_out[0];
  EXPECT_NE(runs.left_out[1].find("1 rows of steps.csv"), std::string::npos) << runs.left_out[1];
}

TEST(StepErrors, RegretAndTauByHand) {
  // Predicted order b, a, c; measured a 1.0, b 1.2, c 2.0. The pick b is 20 % above the best; of
  // the pairs (a,b), (a,c), (b,c) the first is in the other order: (2 - 1) / 3.
  std::vector<TrainingRun> runs(3);
  runs[0].measured_s = 1.0;
  runs[1].measured_s = 1.2;
  runs[2].measured_s = 2.0;
  const std::vector<PredictedStep> steps{{.run = &runs[0], .predicted_s = 1.1},
                                         {.run = &runs[1], .predicted_s = 1.0},
                                         {.run = &runs[2], .predicted_s = 1.5}};
  EXPECT_NEAR(regret_pct(steps), 20, 1e-9);
  EXPECT_NEAR(kendall_tau(steps), 1.0 / 3, 1e-12);
  const TrainingMap map{.sets = {gpt_set()}};
  const auto errors = step_errors(map, steps);
  ASSERT_EQ(errors.size(), 1u);
  // Signed errors +10 %, -16.67 %, -25 %.
  EXPECT_NEAR(errors[0].errors.mean, (10 + 50.0 / 3 + 25) / 3, 1e-9);
  EXPECT_NEAR(errors[0].errors.median, 50.0 / 3, 1e-9);
  EXPECT_NEAR(errors[0].errors.bias, (10 - 50.0 / 3 - 25) / 3, 1e-9);
}

TEST(EfficiencyFit, FindsTheEfficienciesThatMadeTheTimes) {
  // Steps "measured" by the model itself with a clock of 0.8 and a launch of 50 us.
  MeasuredRows all{.at = "csv", .context = {}, .rows = {}};
  for (const char* h : {"1024", "2048", "4096", "8192"})
    for (const char* tp : {"1", "2", "8"})
      all.rows.push_back(gpt_row({{"h", h}, {"a", "16"}, {"tp", tp}}));
  TrainingRuns runs = training_runs({.sets = {gpt_set()}}, {all});
  ASSERT_EQ(runs.runs.size(), 12u);
  StepPredictor predictor;
  topology::ComputeSpec truth = predictor.machine("dgx_a100_hdr200").gpu.spec;
  truth.sustained_clock = 0.8;
  truth.launch = Time::microseconds(50);
  for (TrainingRun& run : runs.runs) run.measured_s = predictor.seconds(run, &truth);
  const EfficiencyFit fit(predictor, runs.runs, [](const TrainingRun&) { return true; });
  const FittedEfficiencies& found = fit.generations().at("8.0");
  const auto value = [&](const char* name) {
    return found.values.at(
        static_cast<std::size_t>(std::ranges::find(found.names, name) - found.names.begin()));
  };
  EXPECT_NEAR(value("sustained_clock"), 0.8, 0.03);
  EXPECT_NEAR(value("launch"), 50, 3);
  for (const TrainingRun& run : runs.runs)
    EXPECT_NEAR(fit.seconds(run) / run.measured_s, 1, 0.03) << run.group;
}

TEST(TrainingMapSchema, IsUpToDate) {
  const auto path =
      std::filesystem::path(RAILYARD_SOURCE_DIR) / "configs" / "schema" / "training.schema.json";
  const std::string schema = core::json_schema<TrainingMap>();
  if (std::getenv("RAILYARD_WRITE_SCHEMAS") != nullptr) std::ofstream(path) << schema;
  EXPECT_EQ(core::read_text_file(path), schema)
      << "run placement_tests with RAILYARD_WRITE_SCHEMAS=1 and look at the difference";
}

/// The shipped map over the measured runs.
class MeasuredTraining : public testing::Test {
 protected:
  void SetUp() override {
    const auto folder =
        std::filesystem::path(RAILYARD_SOURCE_DIR) / "configs" / "validation" / "measured";
    std::vector<MeasuredRows> tables;
    for (const char* name :
         {"training_tables.jsonc", "training_a100_multi.csv", "training_a100_single.csv"})
      for (MeasuredRows& rows : read_measured_rows((folder / name).string()))
        tables.push_back(std::move(rows));
    map_ = read_training_map("training");
    runs_ = training_runs(map_, tables);
    StepPredictor predictor;
    for (const TrainingRun& run : runs_.runs)
      steps_.push_back({.run = &run, .predicted_s = predictor.seconds(run)});
  }

  /// Errors over all sets whose names begin so.
  [[nodiscard]] StepErrors of(const std::vector<std::string>& beginnings) const {
    std::vector<PredictedStep> chosen;
    for (const PredictedStep& step : steps_)
      for (const std::string& beginning : beginnings)
        if (map_.sets[step.run->set].name.starts_with(beginning)) chosen.push_back(step);
    TrainingMap one = map_;
    std::vector<TrainingRun> runs;
    for (const PredictedStep& step : chosen) runs.push_back(*step.run);
    for (TrainingRun& run : runs) run.set = 0;
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i].run = &runs[i];
    return step_errors(one, chosen).at(0);
  }

  TrainingMap map_{};
  TrainingRuns runs_{};
  std::vector<PredictedStep> steps_{};
};

// Held to what results/training.md reports plus a tenth, which is below the aims of
// configs/validation/training.json but for two: the regret of the multi-node set (aim 1.3 %) and
// Megatron-Bridge (no aim).
TEST_F(MeasuredTraining, ErrorsStayNearThoseOfTheResults) {
  EXPECT_LT(of({"Korthikanti"}).errors.mean, 1.9);
  EXPECT_LT(of({"Megatron 2021"}).errors.mean, 3.4);
  EXPECT_LT(of({"Megatron 2024"}).errors.mean, 6);
  EXPECT_LT(of({"MLPerf GPT-3"}).errors.mean, 5);
  EXPECT_LT(of({"MLPerf Llama 3.1 405B"}).errors.mean, 3.9);
  EXPECT_LT(of({"MLPerf Llama 3.1 8B"}).errors.mean, 7.4);
  const StepErrors multi = of({"Megatron-DeepSpeed, many A100"});
  EXPECT_LT(multi.errors.mean, 7.4);
  EXPECT_LT(multi.regret, 2.5);
  EXPECT_GT(multi.tau, 0.7);
  const StepErrors single = of({"Megatron-DeepSpeed, one node"});
  EXPECT_LT(single.errors.mean, 7.5);
  EXPECT_LT(single.regret, 3.9);
  EXPECT_GT(single.tau, 0.88);
  EXPECT_LT(of({"MPT, FSDP, H100"}).errors.mean, 4.1);
  EXPECT_LT(of({"MPT, FSDP, A100"}).errors.mean, 3.2);
  EXPECT_LT(of({"NeMo"}).errors.mean, 7.3);
  EXPECT_LT(of({"MegaScale"}).errors.mean, 3.5);
  EXPECT_LT(of({"Megatron 2020, one node of V100"}).errors.mean, 9.4);
  EXPECT_LT(of({"BLOOM"}).errors.mean, 10.4);
}

TEST_F(MeasuredTraining, OverallErrorsAreOfFittedSetsAndOfAllOthers) {
  const auto overall = overall_step_errors(map_, steps_);
  ASSERT_EQ(overall.size(), 2u);
  std::size_t fitted = 0;
  for (const TrainingRun& run : runs_.runs) fitted += map_.sets[run.set].fitted ? 1 : 0;
  EXPECT_EQ(overall[0].errors.count, fitted);
  EXPECT_EQ(overall[1].errors.count, runs_.runs.size() - fitted);
}

// Twice the measured time is an error of 100 % in every set and over all of them.
TEST_F(MeasuredTraining, OtherPredictionsHaveErrorsOfTheirOwn) {
  EXPECT_TRUE(step_errors_of(map_, steps_, &PredictedStep::whole_step_s).empty());
  std::vector<PredictedStep> steps = steps_;
  for (PredictedStep& step : steps) step.whole_step_s = 2 * step.run->measured_s;
  const auto errors = step_errors_of(map_, steps, &PredictedStep::whole_step_s);
  EXPECT_EQ(errors.size(), step_errors(map_, steps_).size() + 2);
  for (const StepErrors& of_set : errors) EXPECT_NEAR(of_set.errors.mean, 100, 1e-9);
}

// Nothing was fitted to these 109 runs (their sources are in the file). Errors are held where
// results/training.md has them, with room for a model that moves.
TEST(PublishedTraining, ErrorsStayNearThoseOfTheResults) {
  const auto file = std::filesystem::path(RAILYARD_SOURCE_DIR) / "configs" / "validation" /
                    "measured" / "published_steps.csv";
  const TrainingMap map = read_training_map("training");
  const TrainingRuns found = training_runs(map, read_measured_rows(file.string()));
  EXPECT_EQ(found.runs.size(), 109u);
  EXPECT_TRUE(found.left_out.empty()) << found.left_out.front();
  StepPredictor predictor;
  std::vector<PredictedStep> steps;
  for (const TrainingRun& run : found.runs) {
    EXPECT_FALSE(map.sets[run.set].fitted);
    steps.push_back({.run = &run, .predicted_s = predictor.seconds(run)});
  }
  const std::map<std::string, double> most{{"Published: Megatron-Bridge, Llama 3", 7},
                                           {"Published: NeMo 24.07, H100", 6},
                                           {"Published: Megatron 2021, larger models", 8},
                                           {"Published: TorchTitan, Llama 3", 10}};
  double all = 0;
  for (const StepErrors& errors : step_errors(map, steps)) {
    all += errors.errors.mean * static_cast<double>(errors.errors.count);
    const auto held = most.find(errors.set);
    if (held == most.end()) continue;
    EXPECT_LT(errors.errors.mean, held->second) << errors.set;
  }
  EXPECT_LT(all / 109, 11);
}

// Megatron-LM on 8 B200 with its memory: every row within 3.5 %, and 1.6 % on average
// (results/training.md). Steps are too fast by 5 to 31 %.
TEST(MeasuredMemory, StaysNearThatOfTheResults) {
  const auto file = std::filesystem::path(RAILYARD_SOURCE_DIR) / "configs" / "validation" /
                    "measured" / "training_b200.csv";
  const TrainingMap map = read_training_map("training");
  const TrainingRuns found = training_runs(map, read_measured_rows(file.string()));
  ASSERT_EQ(found.runs.size(), 20u);
  EXPECT_TRUE(found.left_out.empty());
  StepPredictor predictor;
  std::vector<PredictedStep> steps;
  for (const TrainingRun& run : found.runs) {
    steps.push_back(predictor.predict(run));
    EXPECT_LT(std::abs(steps.back().memory_error_pct()), 3.5) << run.group;
  }
  const StepErrors errors = step_errors(map, steps).at(0);
  EXPECT_EQ(errors.memory.count, 20u);
  EXPECT_LT(errors.memory.mean, 1.6);
  EXPECT_LT(errors.errors.mean, 7.4);
}

TEST_F(MeasuredTraining, EveryShippedRowIsPredicted) {
  EXPECT_EQ(runs_.runs.size(), 943u);
  EXPECT_TRUE(runs_.left_out.empty()) << runs_.left_out.front();
}

TEST(TrainingRuns, WrongNumbersAreLeftOutWithTheReason) {
  MeasuredRows rows{.at = "csv", .context = {}, .rows = {}};
  for (const char* gpus : {"0", "-8", "x", "99999999999999"})
    rows.rows.push_back({{"h", "1920"},
                         {"L", "24"},
                         {"a", "15"},
                         {"s", "1024"},
                         {"n", gpus},
                         {"tp", "1"},
                         {"value", "100"}});
  const TrainingRuns runs = training_runs({.sets = {gpt_set()}}, {rows});
  EXPECT_TRUE(runs.runs.empty());
  ASSERT_EQ(runs.left_out.size(), 4u);
  for (const std::string& reason : runs.left_out)
    EXPECT_NE(reason.find("gpus is '"), std::string::npos) << reason;
  for (const char* value : {"1e999", "e", "-", "nan"}) {
    rows.rows = {{{"h", "1920"}, {"n", "8"}, {"value", value}}};
    EXPECT_TRUE(training_runs({.sets = {gpt_set()}}, {rows}).runs.empty()) << value;
  }
}

TEST(MeasuredRows, CommentsAreNoRowsAndNcclTestsIsNoTrainingFile) {
  const std::string steps = written("steps.csv", "# Times of a paper, in ms\ntp,ms\n2,10\n");
  EXPECT_TRUE(holds_training_steps(steps));
  EXPECT_EQ(read_measured_rows(steps).at(0).rows.size(), 1u);
  EXPECT_FALSE(holds_training_steps(
      written("log.csv", "# nThread 1, nGpus 1\n  1024  256  float  sum  -1  25.1  0.04  0.04\n")));
  EXPECT_FALSE(holds_training_steps(written("t.jsonc", "// tables\n{\"datasets\": []}")));
  EXPECT_TRUE(holds_training_steps(written("s.jsonc", "// steps\n{\"tables\": {}}")));
}

}  // namespace
}  // namespace railyard::placement
