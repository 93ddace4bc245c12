#include "collectives/nccl/timing/fit/class_fit.hpp"

#include <gtest/gtest.h>

#include "collectives/formats/read_measured.hpp"
#include "collectives/nccl/timing/fit/read_system_map.hpp"

namespace railyard::collectives::nccl {
namespace {

Predictions predicted_text(const std::string& text) {
  return predict_tables(parse_measured("t.json", text, std::nullopt),
                        {.map = read_system_map("public")});
}

/// Times of the model itself with one parameter changed: the fit must find it.
TEST(ClassFit, FindsTheLinkEfficiencyThatTheTimesWereMadeWith) {
  Predictions predictions = predicted_text(R"({"datasets": [
      {"id": "a", "collective": "all_reduce", "nodes": 1, "gpus_per_node": 8, "gpu": "A100",
       "columns": ["size_B", "time_us"],
       "rows": [[67108864, 1], [268435456, 1], [1073741824, 1], [4294967296, 1],
                [17179869184, 1]]}]})");
  ASSERT_EQ(predictions.rows.size(), 5u);
  const double before = predictions.rows[0].machine->gpu.link_efficiency;
  for (PredictedRow& row : predictions.rows) {
    auto machine = *row.machine;
    machine.gpu.link_efficiency = 0.8 * before;
    row.measured.time_us =
        call_time(row.launch, machine, row.query, collective_time(machine, row.query).total());
  }
  const auto parameters = fit_classes(predictions, {});
  const FittedPrediction prediction(predictions, parameters);
  for (const PredictedRow& row : predictions.rows) EXPECT_NEAR(prediction.error_pct(row), 0, 1.0);
  for (const ClassParameter& fitted : parameters) {
    if (fitted.parameter->name == "nvls_efficiency") {
      EXPECT_FALSE(fitted.identified) << "A100 have no NVLS: nothing can be said of it";
      EXPECT_DOUBLE_EQ(fitted.value, fitted.start);
    }
  }
}

/// Sixteen A100 on two nodes, whose times are those of NICs at `part` of what the model has.
Predictions with_nics(double part) {
  Predictions predictions = predicted_text(R"({"datasets": [
      {"id": "a", "collective": "all_gather", "nodes": 2, "gpus_per_node": 8, "gpu": "A100",
       "inter": "InfiniBand HDR", "columns": ["size_B", "time_us"],
       "rows": [[268435456, 1], [1073741824, 1], [4294967296, 1], [17179869184, 1]]}]})");
  for (PredictedRow& row : predictions.rows) {
    auto machine = *row.machine;
    machine.nics *= part;
    machine.nvlink *= 2;  // the NICs alone set the rate
    machine.link_limit *= 2;
    row.measured.time_us =
        call_time(row.launch, machine, row.query, collective_time(machine, row.query).total());
  }
  return predictions;
}

double fitted_efficiency(const Predictions& predictions) {
  for (const ClassParameter& fitted : fit_classes(predictions, {}))
    if (fitted.parameter->owner == ParameterOwner::fabric && fitted.parameter->name == "efficiency")
      return fitted.value;
  return 0;
}

TEST(ClassFit, NicsCarryNoMoreThanTheirRate) {
  const Predictions slow = with_nics(0.5);
  ASSERT_EQ(slow.rows.size(), 4u);
  const double start = slow.rows.front().machine->fabric.efficiency;
  EXPECT_NEAR(fitted_efficiency(slow), start / 2, 0.05 * start);
  // 1.2 x 0.956 would be 1.15.
  EXPECT_LE(fitted_efficiency(with_nics(1.2)), 1.0);
}

}  // namespace
}  // namespace railyard::collectives::nccl
