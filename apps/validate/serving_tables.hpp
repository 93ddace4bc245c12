#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/validate/validation.hpp"
#include "placement/measured/measured_rows.hpp"
#include "placement/serving/measured/serving_map.hpp"

namespace railyard::apps {

/// Adds notes on rows that are left out. Throws InputError if no row is `left`.
void note_left_out(const ValidationRequest& request, const std::vector<std::string>& left_out,
                   bool left, Validation& result, Context& context);

/// The runs that the map of a validation finds in the tables of its request (`runs_of`: power_runs,
/// capacity_runs or serving_runs). Adds a note for each reason to leave rows out. Throws InputError
/// if there is no run.
template <class Runs>
[[nodiscard]] Runs measured_runs(const ValidationRequest& request,
                                 Runs (*runs_of)(const placement::serving::ServingMap&,
                                                 const std::vector<placement::MeasuredRows>&),
                                 Validation& result, Context& context) {
  Runs found = runs_of(placement::serving::read_serving_map(result.map),
                       placement::read_measured_rows(request.files));
  note_left_out(request, found.left_out, !found.runs.empty(), result, context);
  return found;
}

/// Sets the tables of a validation: a row per measurement, and the errors of the groups.
void set_tables(RowTable rows, RowTable errors, Validation& result);

}  // namespace railyard::apps
