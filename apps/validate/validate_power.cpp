#include "apps/validate/validate_power.hpp"

#include <array>
#include <string>

#include "apps/output/row_values.hpp"
#include "apps/validate/serving_tables.hpp"
#include "placement/serving/measured/power_errors.hpp"

namespace railyard::apps {
namespace {

using namespace placement::serving;

using Run = ComparedPower;

constexpr std::array<Column<Run>, 9> kColumns{{
    {"group", [](const Run& r) -> RowValue { return r.run->group; }},
    {"prompt_tokens",
     [](const Run& r) -> RowValue { return static_cast<std::int64_t>(r.run->prompt); }},
    {"batch", [](const Run& r) -> RowValue { return static_cast<std::int64_t>(r.run->batch); }},
    {"prompt_of_tdp", [](const Run& r) { return if_positive(r.run->prompt_power); }, kThousandths},
    {"predicted_prompt_of_tdp", [](const Run& r) { return if_positive(r.reading()); },
     kThousandths},
    {"prompt_error_pct", [](const Run& r) -> RowValue { return r.prompt_error_pct(); }, kTenths},
    {"decode_of_tdp", [](const Run& r) { return if_positive(r.run->decode_power); }, kThousandths},
    {"predicted_decode_of_tdp", [](const Run& r) { return if_positive(r.predicted.decode); },
     kThousandths},
    {"decode_error_pct", [](const Run& r) { return if_known(r.decode_error_pct()); }, kTenths},
}};

constexpr std::array<Column<PowerErrors>, 6> kGroupColumns{{
    {"group", [](const PowerErrors& g) -> RowValue { return g.group; }},
    {"rows",
     [](const PowerErrors& g) -> RowValue { return static_cast<std::int64_t>(g.prompt.count); }},
    {"prompt_pct", [](const PowerErrors& g) -> RowValue { return g.prompt.mean; }, kTenths},
    {"prompt_bias_pct", [](const PowerErrors& g) -> RowValue { return g.prompt.bias; }, kTenths},
    {"decode_pct", [](const PowerErrors& g) -> RowValue { return g.decode.mean; }, kTenths},
    {"decode_bias_pct", [](const PowerErrors& g) -> RowValue { return g.decode.bias; }, kTenths},
}};

}  // namespace

Validation validate_power(const ValidationRequest& request, Context& context) {
  Validation result{.kind = "serving_power",
                    .heading = "Serving: predicted against measured power",
                    .map = request.map.empty() ? "serving_power" : request.map};
  const PowerRuns found = measured_runs(request, power_runs, result, context);
  const std::vector<Run> runs = compare_powers(found.runs);
  const std::vector<PowerErrors> errors = power_errors(runs);
  set_tables(tabulate(kColumns, runs), tabulate(kGroupColumns, errors), result);
  for (const PowerErrors& e : errors) {
    add_errors(request, {"serving power", e.group + ", prompts", "", e.prompt}, result);
    add_errors(request, {"serving power", e.group + ", decodes", "", e.decode}, result);
  }
  return result;
}

}  // namespace railyard::apps
