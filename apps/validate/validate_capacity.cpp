#include "apps/validate/validate_capacity.hpp"

#include <array>
#include <span>
#include <string>

#include "apps/validate/line_groups.hpp"
#include "apps/validate/serving_tables.hpp"
#include "placement/serving/measured/capacity_runs.hpp"

namespace railyard::apps {
namespace {

using namespace placement::serving;

struct Line {
  const CapacityRun* run = nullptr;
  PredictedCapacity predicted{};

  [[nodiscard]] double error() const { return error_pct(predicted.tokens_per_s, run->measured); }
};

constexpr ColumnStyle kZero{.decimals = 0}, kOne{.decimals = 1};

constexpr std::array<Column<Line>, 9> kColumns{{
    {"benchmark", [](const Line& l) -> RowValue { return l.run->benchmark; }},
    {"machine", [](const Line& l) -> RowValue { return l.run->machine; }},
    {"gpus", [](const Line& l) -> RowValue { return std::int64_t{l.run->gpus}; }},
    {"submitter", [](const Line& l) -> RowValue { return l.run->submitter; }},
    {"cluster", [](const Line& l) -> RowValue { return l.run->cluster; }},
    {"split", [](const Line& l) -> RowValue { return split_text(l.predicted.deployment); }},
    {"tokens_per_s", [](const Line& l) -> RowValue { return l.run->measured; }, kZero},
    {"predicted_tokens_per_s", [](const Line& l) -> RowValue { return l.predicted.tokens_per_s; },
     kZero},
    {"error_pct", [](const Line& l) -> RowValue { return l.error(); }, kOne},
}};

struct GroupErrors {
  std::string group{}, split{};
  core::ErrorSummary errors{};
};

constexpr std::array<Column<GroupErrors>, 7> kGroupColumns{{
    {"group", [](const GroupErrors& g) -> RowValue { return g.group; }},
    {"rows",
     [](const GroupErrors& g) -> RowValue { return static_cast<std::int64_t>(g.errors.count); }},
    {"split", [](const GroupErrors& g) -> RowValue { return g.split; }},
    {"median_pct", [](const GroupErrors& g) -> RowValue { return g.errors.median; }, kOne},
    {"mean_pct", [](const GroupErrors& g) -> RowValue { return g.errors.mean; }, kOne},
    {"p90_pct", [](const GroupErrors& g) -> RowValue { return g.errors.p90; }, kOne},
    {"bias_pct", [](const GroupErrors& g) -> RowValue { return g.errors.bias; }, kOne},
}};

std::vector<Line> predicted_lines(std::span<const CapacityRun> runs) {
  ServingPredictor predictor;
  const std::vector<PredictedCapacity> predicted =
      predict_capacities(predictor, runs, shipped_efficiencies());
  std::vector<Line> lines;
  for (std::size_t i = 0; i < runs.size(); ++i)
    lines.push_back({.run = &runs[i], .predicted = predicted[i]});
  return lines;
}

std::vector<GroupErrors> group_errors(const std::vector<Line>& lines) {
  const auto names = [](const Line& l) {
    return std::array{l.run->benchmark + " " + l.run->machine};
  };
  std::vector<GroupErrors> errors;
  for (const auto& group : line_groups<Line>(
           lines, names,
           {{"all at once", [](const Line& l) { return l.run->at_once; }},
            {"all within limits of latency", [](const Line& l) { return !l.run->at_once; }},
            {"all", [](const Line&) { return true; }}}))
    errors.push_back(
        {group.name,
         group.is_overall ? std::string() : split_text(group.lines.front()->predicted.deployment),
         group.errors(&Line::error)});
  return errors;
}

}  // namespace

Validation validate_capacity(const ValidationRequest& request, Context& context) {
  Validation result{.kind = "serving_capacity",
                    .heading = "Serving: predicted against measured highest throughput",
                    .map = request.map.empty() ? "serving_capacity" : request.map};
  const CapacityRuns found = measured_runs(request, capacity_runs, result, context);
  const std::vector<Line> lines = predicted_lines(found.runs);
  const std::vector<GroupErrors> errors = group_errors(lines);
  set_tables(tabulate(kColumns, lines), tabulate(kGroupColumns, errors), result);
  for (const GroupErrors& e : errors)
    add_errors(request, {"serving capacity", e.group, "", e.errors}, result);
  return result;
}

}  // namespace railyard::apps
