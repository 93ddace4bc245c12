#include "apps/validate/validate_serving.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "apps/cli/progress.hpp"
#include "apps/validate/line_groups.hpp"
#include "apps/validate/serving_tables.hpp"
#include "placement/serving/measured/serving_fit.hpp"
#include "placement/serving/measured/throughput_residuals.hpp"

namespace railyard::apps {
namespace {

using namespace placement::serving;

/// A run with what was predicted, in seconds; 0: not computed.
struct Line {
  const ServingRun* run = nullptr;
  double tpot = 0, ttft = 0;  ///< simulated
  double closed_tpot = 0;     ///< closed form
  ClosedResult without_model{}, without_cluster{};

  [[nodiscard]] double tpot_error() const { return error_pct(tpot, run->measured_tpot); }
  [[nodiscard]] std::optional<double> ttft_error() const {
    if (run->measured_ttft <= 0) return std::nullopt;
    return error_pct(ttft, run->measured_ttft);
  }
};

RowValue milliseconds(double seconds) { return seconds > 0 ? RowValue(seconds * 1e3) : RowValue(); }
RowValue whole(double value) { return static_cast<std::int64_t>(std::llround(value)); }

constexpr ColumnStyle kTwo{.decimals = 2}, kOne{.decimals = 1};

constexpr std::array<Column<Line>, 19> kColumns{{
    {"group", [](const Line& l) -> RowValue { return l.run->group; }},
    {"cluster", [](const Line& l) -> RowValue { return l.run->cluster; }},
    {"tp", [](const Line& l) -> RowValue { return std::int64_t{l.run->deployment.tp}; }},
    {"attention_dp",
     [](const Line& l) -> RowValue { return std::int64_t{l.run->deployment.attention_dp}; }},
    {"ep", [](const Line& l) -> RowValue { return std::int64_t{l.run->deployment.ep}; }},
    {"concurrency", [](const Line& l) { return whole(l.run->clients()); }},
    {"input", [](const Line& l) { return whole(l.run->load.input); }},
    {"output", [](const Line& l) { return whole(l.run->load.output); }},
    {"tpot_ms", [](const Line& l) { return milliseconds(l.run->measured_tpot); }, kTwo},
    {"predicted_tpot_ms", [](const Line& l) { return milliseconds(l.tpot); }, kTwo},
    {"error_pct", [](const Line& l) -> RowValue { return l.tpot_error(); }, kOne},
    {"closed_form_tpot_ms", [](const Line& l) { return milliseconds(l.closed_tpot); }, kTwo},
    {"ttft_ms", [](const Line& l) { return milliseconds(l.run->measured_ttft); }, kOne},
    {"predicted_ttft_ms", [](const Line& l) { return milliseconds(l.ttft); }, kOne},
    {"ttft_error_pct",
     [](const Line& l) {
       const auto error = l.ttft_error();
       return error ? RowValue(*error) : RowValue();
     },
     kOne},
    {"without_model_ms", [](const Line& l) { return milliseconds(l.without_model.tpot); }, kTwo},
    {"without_cluster_ms", [](const Line& l) { return milliseconds(l.without_cluster.tpot); },
     kTwo},
    {"without_model_ttft_ms", [](const Line& l) { return milliseconds(l.without_model.ttft); },
     kOne},
    {"without_cluster_ttft_ms", [](const Line& l) { return milliseconds(l.without_cluster.ttft); },
     kOne},
}};

/// Errors of a group of runs; by quantity.
struct GroupErrors {
  std::string group{};
  core::ErrorSummary tpot{}, ttft{}, throughput{};
  core::ErrorSummary without_model{}, without_cluster{};  ///< TPOT
  core::ErrorSummary without_model_ttft{}, without_cluster_ttft{};
};

RowValue figure_of(const core::ErrorSummary& e, double figure) {
  return e.count == 0 ? RowValue() : RowValue(figure);
}
RowValue mean_of(const core::ErrorSummary& e) { return figure_of(e, e.mean); }

constexpr std::array<Column<GroupErrors>, 14> kGroupColumns{{
    {"group", [](const GroupErrors& g) -> RowValue { return g.group; }},
    {"runs",
     [](const GroupErrors& g) -> RowValue { return static_cast<std::int64_t>(g.tpot.count); }},
    {"tpot_pct", [](const GroupErrors& g) { return mean_of(g.tpot); }, kOne},
    {"median_pct", [](const GroupErrors& g) -> RowValue { return g.tpot.median; }, kOne},
    {"p90_pct", [](const GroupErrors& g) -> RowValue { return g.tpot.p90; }, kOne},
    {"bias_pct", [](const GroupErrors& g) -> RowValue { return g.tpot.bias; }, kOne},
    {"without_model_pct", [](const GroupErrors& g) { return mean_of(g.without_model); }, kOne},
    {"without_cluster_pct", [](const GroupErrors& g) { return mean_of(g.without_cluster); }, kOne},
    {"ttft_pct", [](const GroupErrors& g) { return mean_of(g.ttft); }, kOne},
    {"ttft_median_pct", [](const GroupErrors& g) { return figure_of(g.ttft, g.ttft.median); },
     kOne},
    {"ttft_bias_pct", [](const GroupErrors& g) { return figure_of(g.ttft, g.ttft.bias); }, kOne},
    {"without_model_ttft_pct", [](const GroupErrors& g) { return mean_of(g.without_model_ttft); },
     kOne},
    {"without_cluster_ttft_pct",
     [](const GroupErrors& g) { return mean_of(g.without_cluster_ttft); }, kOne},
    {"throughput_pct", [](const GroupErrors& g) { return mean_of(g.throughput); }, kOne},
}};

constexpr std::array<Column<FittedParameter>, 3> kParameterColumns{{
    {"parameter", [](const FittedParameter& p) -> RowValue { return p.name; }},
    {"value", [](const FittedParameter& p) -> RowValue { return p.value; }, {.decimals = 4}},
    {"error_pct",
     [](const FittedParameter& p) -> RowValue {
       return std::isfinite(p.uncertainty) ? RowValue(100 * p.uncertainty) : RowValue();
     },
     kOne},
}};

std::optional<double> tpot_error(const Line& l, const ClosedResult& predicted) {
  if (predicted.tpot <= 0) return std::nullopt;
  return error_pct(predicted.tpot, l.run->measured_tpot);
}
std::optional<double> ttft_error(const Line& l, const ClosedResult& predicted) {
  if (predicted.tpot <= 0 || l.run->measured_ttft <= 0) return std::nullopt;
  return error_pct(predicted.ttft, l.run->measured_ttft);
}
std::optional<double> throughput_error(const Line& l) {
  const ServingRun& run = *l.run;
  if (run.measured_ttft <= 0) return std::nullopt;
  return error_pct(run.tokens_per_s_per_gpu(l.ttft, l.tpot),
                   run.tokens_per_s_per_gpu(run.measured_ttft, run.measured_tpot));
}

std::vector<GroupErrors> group_errors(const std::vector<Line>& lines) {
  const auto names = [](const Line& l) { return std::array{l.run->group}; };
  std::vector<GroupErrors> errors;
  for (const auto& group : line_groups<Line>(
           lines, names,
           {{"all dense models",
             [](const Line& l) { return !l.run->has_experts && !l.run->prefill; }},
            {"all models with experts",
             [](const Line& l) { return l.run->has_experts && !l.run->prefill; }},
            {"all pools", [](const Line& l) { return l.run->prefill.has_value(); }}})) {
    const auto tpot_without = [&](ClosedResult Line::*result) {
      return group.errors([=](const Line& l) { return tpot_error(l, l.*result); });
    };
    const auto ttft_without = [&](ClosedResult Line::*result) {
      return group.errors([=](const Line& l) { return ttft_error(l, l.*result); });
    };
    errors.push_back({.group = group.name,
                      .tpot = group.errors(&Line::tpot_error),
                      .ttft = group.errors(&Line::ttft_error),
                      .throughput = group.errors(throughput_error),
                      .without_model = tpot_without(&Line::without_model),
                      .without_cluster = tpot_without(&Line::without_cluster),
                      .without_model_ttft = ttft_without(&Line::without_model),
                      .without_cluster_ttft = ttft_without(&Line::without_cluster)});
  }
  return errors;
}

/// The 80 % range of measured over predicted throughput of a class of runs.
struct RangeRow {
  std::string_view models, gpus;
  std::size_t runs = 0;
  ThroughputRange range{};
};

constexpr std::array<Column<RangeRow>, 5> kRangeColumns{{
    {"models", [](const RangeRow& r) -> RowValue { return std::string(r.models); }},
    {"gpu_in_fit", [](const RangeRow& r) -> RowValue { return std::string(r.gpus); }},
    {"high_load_runs",
     [](const RangeRow& r) -> RowValue { return static_cast<std::int64_t>(r.runs); }},
    {"low", [](const RangeRow& r) -> RowValue { return r.range.low; }, {.decimals = 3}},
    {"high", [](const RangeRow& r) -> RowValue { return r.range.high; }, {.decimals = 3}},
}};

RowTable tabulate_ranges(std::span<const Line> lines) {
  std::vector<RangeRow> rows;
  const auto add = [&](bool experts, const char* gpus, auto&& predicted) {
    std::vector<PredictedRun> runs;
    for (const Line& l : lines)
      if (const PredictedRun one = predicted(l);
          l.run->has_experts == experts && !l.run->prefill && one.tpot > 0)
        runs.push_back(one);
    const std::vector<ThroughputResidual> residuals = high_load_residuals(runs);
    if (!residuals.empty())
      rows.push_back({experts ? "experts" : "dense", gpus, residuals.size(), range_of(residuals)});
  };
  for (const bool experts : {false, true}) {
    add(experts, "yes", [](const Line& l) { return PredictedRun{l.run, l.ttft, l.tpot}; });
    add(experts, "no", [](const Line& l) {
      return PredictedRun{l.run, l.without_cluster.ttft, l.without_cluster.tpot};
    });
  }
  return tabulate(kRangeColumns, rows);
}

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
  std::vector<Line> lines;
  for (const ServingRun& run : found.runs) {
    const ClosedResult simulated = predictor.simulate(run, efficiencies);
    lines.push_back({.run = &run,
                     .tpot = simulated.tpot,
                     .ttft = simulated.ttft,
                     .closed_tpot = run.prefill ? 0 : predictor.predict(run, efficiencies).tpot});
  }
  if (request.leave_one_out) {
    const auto models = left_out(predictor, found.runs, ServingHeldOut::model, context);
    const auto clusters = left_out(predictor, found.runs, ServingHeldOut::cluster, context);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      lines[i].without_model = models[i];
      lines[i].without_cluster = clusters[i];
    }
  }
  const std::vector<GroupErrors> errors = group_errors(lines);
  result.rows = tabulate(kColumns, lines);
  result.errors = tabulate(kGroupColumns, errors);
  const RowTable ranges = tabulate_ranges(lines);
  result.sections = {{"groups", result.errors, false},
                     {"efficiencies", parameters, false},
                     {"ranges", ranges, false}};
  result.before = {
      {"Fitted efficiencies:", parameters},
      {"Measured over predicted throughput at high load, where 80 % of the runs are:", ranges}};
  for (const GroupErrors& e : errors) add_errors(request, {"serving", e.group, "", e.tpot}, result);
  return result;
}

}  // namespace railyard::apps
