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
    row.measured.time_us = row.overhead_us + collective_time(machine, row.query).total();
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

}  // namespace
}  // namespace railyard::collectives::nccl
