#include "apps/validate/leave_one_out.hpp"

#include "apps/cli/progress.hpp"
#include "apps/validate/class_fit.hpp"

namespace railyard::apps {

std::vector<double> errors_left_out(const Judged& judged, Context& context) {
  std::vector<double> errors(judged.rows.size(), 0.0);
  Progress progress(context, judged.tables.size());
  for (std::size_t table = 0; table < judged.tables.size(); ++table) {
    progress.next(judged.tables[table].name);
    const auto parameters = fit_classes(
        judged, {.start = FitStart::untouched, .without_table = table, .hold_unidentified = false});
    const FittedPrediction prediction(judged, parameters);
    for (std::size_t i = 0; i < judged.rows.size(); ++i)
      if (judged.rows[i].table == table) errors[i] = prediction.error_pct(judged.rows[i]);
  }
  return errors;
}

}  // namespace railyard::apps
