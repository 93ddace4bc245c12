#include "apps/validate/validate_serving.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "apps/cli/progress.hpp"
#include "apps/output/row_values.hpp"
#include "apps/validate/serving_tables.hpp"
#include "placement/serving/measured/serving_errors.hpp"

namespace railyard::apps {
namespace {

using namespace placement::serving;

using Run = PredictedServing;

RowValue milliseconds(double seconds) { return if_positive(seconds * 1e3); }
RowValue whole(double value) { return static_cast<std::int64_t>(std::llround(value)); }

constexpr std::array<Column<Run>, 19> kColumns{{
    {"group", [](const Run& r) -> RowValue { return r.run->group; }},
    {"cluster", [](const Run& r) -> RowValue { return r.run->cluster; }},
    {"tp", [](const Run& r) -> RowValue { return std::int64_t{r.run->deployment.tp}; }},
    {"attention_dp",
     [](const Run& r) -> RowValue { return std::int64_t{r.run->deployment.attention_dp}; }},
    {"ep", [](const Run& r) -> RowValue { return std::int64_t{r.run->deployment.ep}; }},
    {"concurrency", [](const Run& r) { return whole(r.run->clients()); }},
    {"input", [](const Run& r) { return whole(r.run->load.input); }},
    {"output", [](const Run& r) { return whole(r.run->load.output); }},
    {"tpot_ms", [](const Run& r) { return milliseconds(r.run->measured_tpot); }, kHundredths},
    {"predicted_tpot_ms", [](const Run& r) { return milliseconds(r.simulated.tpot); }, kHundredths},
    {"error_pct", [](const Run& r) -> RowValue { return r.tpot_error_pct(); }, kTenths},
    {"closed_form_tpot_ms", [](const Run& r) { return milliseconds(r.closed_tpot); }, kHundredths},
    {"ttft_ms", [](const Run& r) { return milliseconds(r.run->measured_ttft); }, kTenths},
    {"predicted_ttft_ms", [](const Run& r) { return milliseconds(r.simulated.ttft); }, kTenths},
    {"ttft_error_pct", [](const Run& r) { return if_known(r.ttft_error_pct()); }, kTenths},
    {"without_model_ms", [](const Run& r) { return milliseconds(r.without_model.tpot); },
     kHundredths},
    {"without_cluster_ms", [](const Run& r) { return milliseconds(r.without_cluster.tpot); },
     kHundredths},
    {"without_model_ttft_ms", [](const Run& r) { return milliseconds(r.without_model.ttft); },
     kTenths},
    {"without_cluster_ttft_ms", [](const Run& r) { return milliseconds(r.without_cluster.ttft); },
     kTenths},
}};

RowValue mean_of(const core::ErrorSummary& e) { return if_any(e, e.mean); }

constexpr std::array<Column<ServingErrors>, 14> kGroupColumns{{
    {"group", [](const ServingErrors& g) -> RowValue { return g.group; }},
    {"runs",
     [](const ServingErrors& g) -> RowValue { return static_cast<std::int64_t>(g.tpot.count); }},
    {"tpot_pct", [](const ServingErrors& g) { return mean_of(g.tpot); }, kTenths},
    {"median_pct", [](const ServingErrors& g) -> RowValue { return g.tpot.median; }, kTenths},
    {"p90_pct", [](const ServingErrors& g) -> RowValue { return g.tpot.p90; }, kTenths},
    {"bias_pct", [](const ServingErrors& g) -> RowValue { return g.tpot.bias; }, kTenths},
    {"without_model_pct", [](const ServingErrors& g) { return mean_of(g.without_model); }, kTenths},
    {"without_cluster_pct", [](const ServingErrors& g) { return mean_of(g.without_cluster); },
     kTenths},
    {"ttft_pct", [](const ServingErrors& g) { return mean_of(g.ttft); }, kTenths},
    {"ttft_median_pct", [](const ServingErrors& g) { return if_any(g.ttft, g.ttft.median); },
     kTenths},
    {"ttft_bias_pct", [](const ServingErrors& g) { return if_any(g.ttft, g.ttft.bias); }, kTenths},
    {"without_model_ttft_pct", [](const ServingErrors& g) { return mean_of(g.without_model_ttft); },
     kTenths},
    {"without_cluster_ttft_pct",
     [](const ServingErrors& g) { return mean_of(g.without_cluster_ttft); }, kTenths},
    {"throughput_pct", [](const ServingErrors& g) { return mean_of(g.throughput); }, kTenths},
}};

constexpr std::array<Column<FittedParameter>, 3> kParameterColumns{{
    {"parameter", [](const FittedParameter& p) -> RowValue { return p.name; }},
    {"value", [](const FittedParameter& p) -> RowValue { return p.value; }, {.decimals = 4}},
    {"error_pct", [](const FittedParameter& p) { return if_finite(100 * p.uncertainty); }, kTenths},
}};

constexpr std::array<Column<ServingRange>, 5> kRangeColumns{{
    {"models",
     [](const ServingRange& r) -> RowValue {
       return std::string(r.has_experts ? "experts" : "dense");
     }},
    {"gpu_in_fit",
     [](const ServingRange& r) -> RowValue { return std::string(r.gpu_in_fit ? "yes" : "no"); }},
    {"high_load_runs", [](const ServingRange& r) { return whole_number(r.runs); }},
    {"low", [](const ServingRange& r) -> RowValue { return r.range.low; }, kThousandths},
    {"high", [](const ServingRange& r) -> RowValue { return r.range.high; }, kThousandths},
}};

std::vector<ClosedResult> left_out(ServingPredictor& predictor, std::span<const ServingRun> runs,
                                   ServingHeldOut what, Context& context) {
  std::optional<Progress> progress;
  return simulated_left_out(predictor, runs, what,
                            [&](const std::string& name, std::size_t, std::size_t count) {
                              if (!progress) progress.emplace(context, count);
                              progress->next(name);
                            });
}

}  // namespace

Validation validate_serving(const ValidationRequest& request, const ServingOptions& options,
                            Context& context) {
  Validation result{.kind = "serving_validation",
                    .heading = "Serving: predicted against measured times",
                    .map = request.map.empty() ? "serving" : request.map};
  const ServingRuns found = measured_runs(request, serving_runs, result, context);
  ServingPredictor predictor;
  EngineEfficiencies efficiencies = shipped_efficiencies();
  RowTable parameters;
  if (options.fit) {
    std::vector<const ServingRun*> all;
    for (const ServingRun& run : found.runs) all.push_back(&run);
    const ServingFit fit = fit_serving(predictor, all);
    efficiencies = fit.efficiencies;
    parameters = tabulate(kParameterColumns, fit.parameters);
  }
  std::vector<Run> runs = predict_servings(predictor, found.runs, efficiencies);
  if (request.leave_one_out) {
    const auto models = left_out(predictor, found.runs, ServingHeldOut::model, context);
    const auto clusters = left_out(predictor, found.runs, ServingHeldOut::cluster, context);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      runs[i].without_model = models[i];
      runs[i].without_cluster = clusters[i];
    }
  }
  const std::vector<ServingErrors> errors = serving_errors(runs);
  result.rows = tabulate(kColumns, runs);
  result.errors = tabulate(kGroupColumns, errors);
  const RowTable ranges = tabulate(kRangeColumns, serving_ranges(runs));
  result.sections = {{"groups", result.errors, false},
                     {"efficiencies", parameters, false},
                     {"ranges", ranges, false}};
  result.before = {
      {"Fitted efficiencies:", parameters},
      {"Measured over predicted throughput at high load, where 80 % of the runs are:", ranges}};
  for (const ServingErrors& e : errors)
    add_errors(request, {"serving", e.group, "", e.tpot}, result);
  return result;
}

}  // namespace railyard::apps
