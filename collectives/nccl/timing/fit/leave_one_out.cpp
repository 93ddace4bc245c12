#include "collectives/nccl/timing/fit/leave_one_out.hpp"

#include "collectives/nccl/timing/fit/class_fit.hpp"

namespace railyard::collectives::nccl {

std::vector<double> errors_left_out(const Predictions& predictions,
                                    const std::function<void(const std::string&)>& on_table) {
  std::vector<double> errors(predictions.rows.size(), 0.0);
  for (std::size_t table = 0; table < predictions.tables.size(); ++table) {
    on_table(predictions.tables[table].name);
    const auto parameters = fit_classes(
        predictions,
        {.start = FitStart::untouched, .without_table = table, .hold_unidentified = false});
    const FittedPrediction prediction(predictions, parameters);
    for (std::size_t i = 0; i < predictions.rows.size(); ++i)
      if (predictions.rows[i].table == table) errors[i] = prediction.error_pct(predictions.rows[i]);
  }
  return errors;
}

}  // namespace railyard::collectives::nccl
