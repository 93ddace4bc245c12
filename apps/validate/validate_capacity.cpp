#include "apps/validate/validate_capacity.hpp"

#include <array>
#include <string>

#include "apps/output/row_values.hpp"
#include "apps/validate/serving_tables.hpp"
#include "placement/serving/measured/capacity_errors.hpp"

namespace railyard::apps {
namespace {

using namespace placement::serving;

using Run = ComparedCapacity;

constexpr std::array<Column<Run>, 9> kColumns{{
    {"benchmark", [](const Run& r) -> RowValue { return r.run->benchmark; }},
    {"machine", [](const Run& r) -> RowValue { return r.run->machine; }},
    {"gpus", [](const Run& r) -> RowValue { return std::int64_t{r.run->gpus}; }},
    {"submitter", [](const Run& r) -> RowValue { return r.run->submitter; }},
    {"cluster", [](const Run& r) -> RowValue { return r.run->cluster; }},
    {"split", [](const Run& r) -> RowValue { return split_text(r.predicted.deployment); }},
    {"tokens_per_s", [](const Run& r) -> RowValue { return r.run->measured; }, kWhole},
    {"predicted_tokens_per_s", [](const Run& r) -> RowValue { return r.predicted.tokens_per_s; },
     kWhole},
    {"error_pct", [](const Run& r) -> RowValue { return r.error_pct(); }, kTenths},
}};

constexpr std::array<Column<CapacityErrors>, 7> kGroupColumns{{
    {"group", [](const CapacityErrors& g) -> RowValue { return g.group; }},
    {"rows",
     [](const CapacityErrors& g) -> RowValue { return static_cast<std::int64_t>(g.errors.count); }},
    {"split", [](const CapacityErrors& g) -> RowValue { return g.split; }},
    {"median_pct", [](const CapacityErrors& g) -> RowValue { return g.errors.median; }, kTenths},
    {"mean_pct", [](const CapacityErrors& g) -> RowValue { return g.errors.mean; }, kTenths},
    {"p90_pct", [](const CapacityErrors& g) -> RowValue { return g.errors.p90; }, kTenths},
    {"bias_pct", [](const CapacityErrors& g) -> RowValue { return g.errors.bias; }, kTenths},
}};

}  // namespace

Validation validate_capacity(const ValidationRequest& request, Context& context) {
  Validation result{.kind = "serving_capacity",
                    .heading = "Serving: predicted against measured highest throughput",
                    .map = request.map.empty() ? "serving_capacity" : request.map};
  const CapacityRuns found = measured_runs(request, capacity_runs, result, context);
  const std::vector<Run> runs = compare_capacities(found.runs);
  const std::vector<CapacityErrors> errors = capacity_errors(runs);
  set_tables(tabulate(kColumns, runs), tabulate(kGroupColumns, errors), result);
  for (const CapacityErrors& e : errors)
    add_errors(request, {"serving capacity", e.group, "", e.errors}, result);
  return result;
}

}  // namespace railyard::apps
