#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/validate/validation.hpp"
#include "placement/measured/measured_rows.hpp"
#include "placement/serving/measured/serving_map.hpp"

namespace railyard::apps {

/// Measured tables of serving with the map that applies to them.
struct ServingTables {
  std::string map_name{};
  placement::serving::ServingMap map{};
  std::vector<placement::MeasuredRows> tables{};
};
/// Reads the files of a request; `map` where it gives none. Throws InputError.
[[nodiscard]] ServingTables read_serving_tables(const ValidationRequest& request, const char* map);

/// Notes the rows that are left out. Throws InputError where none is `left`.
void note_left_out(const ValidationRequest& request, const std::vector<std::string>& left_out,
                   bool left, Validation& result, Context& context);

/// Prediction over measurement - 1, in per cent.
[[nodiscard]] inline double error_pct(double predicted, double measured) {
  return 100 * (predicted / measured - 1);
}

}  // namespace railyard::apps
