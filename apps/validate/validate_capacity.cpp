#include "apps/validate/validate_capacity.hpp"

#include <array>
#include <map>
#include <span>
#include <string>
#include <tuple>

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

/// Rows that differ in nothing that a prediction depends on are predicted once.
auto question_of(const CapacityRun& r) {
  return std::tuple(r.model, r.cluster, r.gpus, static_cast<int>(r.formats.mlp), r.input, r.output,
                    r.ttft_limit, r.tpot_limit, r.at_once);
}

std::vector<Line> predicted_lines(std::span<const CapacityRun> runs) {
  ServingPredictor predictor;
  const EngineEfficiencies efficiencies = shipped_efficiencies();
  std::map<decltype(question_of(runs.front())), PredictedCapacity> known;
  std::vector<Line> lines;
  for (const CapacityRun& run : runs) {
    auto at = known.find(question_of(run));
    if (at == known.end())
      at = known.emplace(question_of(run), predict_capacity(predictor, run, efficiencies)).first;
    lines.push_back({.run = &run, .predicted = at->second});
  }
  return lines;
}

std::vector<GroupErrors> group_errors(std::span<const Line> lines) {
  std::map<std::string, std::vector<const Line*>> groups;
  std::vector<double> limited, offline, all;
  for (const Line& l : lines) {
    groups[l.run->benchmark + " " + l.run->machine].push_back(&l);
    (l.run->at_once ? offline : limited).push_back(l.error());
    all.push_back(l.error());
  }
  std::vector<GroupErrors> errors;
  for (const auto& [name, members] : groups) {
    std::vector<double> of_group;
    for (const Line* l : members) of_group.push_back(l->error());
    errors.push_back({name, split_text(members.front()->predicted.deployment),
                      core::summarise_errors(of_group)});
  }
  if (!offline.empty()) errors.push_back({"all at once", "", core::summarise_errors(offline)});
  if (!limited.empty())
    errors.push_back({"all within limits of latency", "", core::summarise_errors(limited)});
  errors.push_back({"all", "", core::summarise_errors(all)});
  return errors;
}

}  // namespace

Validation validate_capacity(const ValidationRequest& request, Context& context) {
  const ServingTables input = read_serving_tables(request, "serving_capacity");
  Validation result{.kind = "serving_capacity",
                    .heading = "Serving: predicted against measured highest throughput",
                    .map = input.map_name};
  const CapacityRuns found = capacity_runs(input.map, input.tables);
  note_left_out(request, found.left_out, !found.runs.empty(), result, context);
  const std::vector<Line> lines = predicted_lines(found.runs);
  const std::vector<GroupErrors> errors = group_errors(lines);
  result.rows = tabulate(std::span<const Column<Line>>(kColumns), std::span<const Line>(lines));
  result.errors = tabulate(std::span<const Column<GroupErrors>>(kGroupColumns),
                           std::span<const GroupErrors>(errors));
  result.sections = {{"groups", result.errors, false}};
  for (const GroupErrors& e : errors) {
    result.datasets.push_back({"serving capacity", e.group, "", e.errors});
    check_group(request, e.group, e.errors, result);
  }
  return result;
}

}  // namespace railyard::apps
