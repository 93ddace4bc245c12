#include "apps/validate/validate_power.hpp"

#include <array>
#include <optional>
#include <string>

#include "apps/validate/line_groups.hpp"
#include "apps/validate/serving_tables.hpp"
#include "placement/serving/measured/power_runs.hpp"

namespace railyard::apps {
namespace {

using namespace placement::serving;

struct Line {
  const PowerRun* run = nullptr;
  PredictedPower predicted{};

  [[nodiscard]] double reading() const { return predicted.highest_reading(run->prompt_seconds); }
  [[nodiscard]] double prompt_error() const { return error_pct(reading(), run->prompt_power); }
  /// Nothing where the power of decodes was not measured.
  [[nodiscard]] std::optional<double> decode_error() const {
    if (run->decode_power <= 0) return std::nullopt;
    return error_pct(predicted.decode, run->decode_power);
  }
};

constexpr ColumnStyle kOne{.decimals = 1}, kThree{.decimals = 3};

RowValue share(double value) { return value > 0 ? RowValue(value) : RowValue(); }

constexpr std::array<Column<Line>, 9> kColumns{{
    {"group", [](const Line& l) -> RowValue { return l.run->group; }},
    {"prompt_tokens",
     [](const Line& l) -> RowValue { return static_cast<std::int64_t>(l.run->prompt); }},
    {"batch", [](const Line& l) -> RowValue { return static_cast<std::int64_t>(l.run->batch); }},
    {"prompt_of_tdp", [](const Line& l) { return share(l.run->prompt_power); }, kThree},
    {"predicted_prompt_of_tdp", [](const Line& l) { return share(l.reading()); }, kThree},
    {"prompt_error_pct", [](const Line& l) -> RowValue { return l.prompt_error(); }, kOne},
    {"decode_of_tdp", [](const Line& l) { return share(l.run->decode_power); }, kThree},
    {"predicted_decode_of_tdp", [](const Line& l) { return share(l.predicted.decode); }, kThree},
    {"decode_error_pct",
     [](const Line& l) { return l.decode_error() ? RowValue(*l.decode_error()) : RowValue(); },
     kOne},
}};

struct GroupErrors {
  std::string group{};
  core::ErrorSummary prompt{}, decode{};
};

constexpr std::array<Column<GroupErrors>, 6> kGroupColumns{{
    {"group", [](const GroupErrors& g) -> RowValue { return g.group; }},
    {"rows",
     [](const GroupErrors& g) -> RowValue { return static_cast<std::int64_t>(g.prompt.count); }},
    {"prompt_pct", [](const GroupErrors& g) -> RowValue { return g.prompt.mean; }, kOne},
    {"prompt_bias_pct", [](const GroupErrors& g) -> RowValue { return g.prompt.bias; }, kOne},
    {"decode_pct", [](const GroupErrors& g) -> RowValue { return g.decode.mean; }, kOne},
    {"decode_bias_pct", [](const GroupErrors& g) -> RowValue { return g.decode.bias; }, kOne},
}};

std::vector<GroupErrors> group_errors(const std::vector<Line>& lines) {
  const auto names = [](const Line& l) { return std::array{l.run->group, "all " + l.run->model}; };
  std::vector<GroupErrors> errors;
  for (const auto& group : line_groups(lines, names))
    errors.push_back(
        {group.name, group.errors(&Line::prompt_error), group.errors(&Line::decode_error)});
  return errors;
}

}  // namespace

Validation validate_power(const ValidationRequest& request, Context& context) {
  Validation result{.kind = "serving_power",
                    .heading = "Serving: predicted against measured power",
                    .map = request.map.empty() ? "serving_power" : request.map};
  const PowerRuns found = measured_runs(request, power_runs, result, context);
  ServingPredictor predictor;
  std::vector<Line> lines;
  for (const PowerRun& run : found.runs) lines.push_back({&run, predict_power(predictor, run)});
  const std::vector<GroupErrors> errors = group_errors(lines);
  set_tables(tabulate(kColumns, lines), tabulate(kGroupColumns, errors), result);
  for (const GroupErrors& e : errors) {
    add_errors(request, {"serving power", e.group + ", prompts", "", e.prompt}, result);
    add_errors(request, {"serving power", e.group + ", decodes", "", e.decode}, result);
  }
  return result;
}

}  // namespace railyard::apps
