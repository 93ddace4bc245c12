#include "apps/validate/training_rows.hpp"

#include <array>
#include <vector>

#include "apps/output/row_values.hpp"
#include "apps/validate/validation.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::apps {
namespace {

using namespace placement;

struct Line {
  const TrainingMap* map = nullptr;
  const PredictedStep* step = nullptr;
  [[nodiscard]] const TrainingRun& run() const { return *step->run; }
};

RowValue if_memory(const Line& line, double value) {
  return line.run().measured_gib > 0 ? RowValue(value) : RowValue();
}

constexpr ColumnStyle kSeconds{.decimals = 4};

constexpr std::array<Column<Line>, 17> kColumns{{
    {"set", [](const Line& l) -> RowValue { return l.map->sets[l.run().set].name; }},
    {"cluster", [](const Line& l) -> RowValue { return l.run().cluster; }},
    {"model", [](const Line& l) -> RowValue { return l.run().model; }},
    {"sequence", [](const Line& l) -> RowValue { return std::int64_t{l.run().job.sequence}; }},
    {"batch", [](const Line& l) -> RowValue { return std::int64_t{l.run().job.batch}; }},
    {"gpus", [](const Line& l) -> RowValue { return std::int64_t{l.run().gpus}; }},
    {"strategy", [](const Line& l) -> RowValue { return to_text(l.run().strategy); }},
    {"measured_s", [](const Line& l) -> RowValue { return l.run().measured_s; }, kSeconds},
    {"predicted_s", [](const Line& l) -> RowValue { return l.step->predicted_s; }, kSeconds},
    {"error_pct", [](const Line& l) -> RowValue { return l.step->error_pct(); }, kTenths},
    {"measured_gib", [](const Line& l) { return if_positive(l.run().measured_gib); }, kHundredths},
    {"predicted_gib", [](const Line& l) { return if_memory(l, l.step->predicted_gib); },
     kHundredths},
    {"memory_error_pct", [](const Line& l) { return if_memory(l, l.step->memory_error_pct()); },
     kTenths},
    {"without_model_s", [](const Line& l) { return if_positive(l.step->without_model_s); },
     kSeconds},
    {"without_machine_s", [](const Line& l) { return if_positive(l.step->without_machine_s); },
     kSeconds},
    {"whole_step_s", [](const Line& l) { return if_positive(l.step->whole_step_s); }, kSeconds},
    {"group", [](const Line& l) -> RowValue { return l.run().group; }},
}};

RowValue of_groups(const StepErrors& e, double value) {
  return e.groups == 0 ? RowValue() : RowValue(value);
}
constexpr std::array<Column<StepErrors>, 16> kErrorColumns{{
    {"set", [](const StepErrors& e) -> RowValue { return e.set; }},
    {"runs",
     [](const StepErrors& e) -> RowValue { return static_cast<std::int64_t>(e.errors.count); }},
    {"mean_pct", [](const StepErrors& e) -> RowValue { return e.errors.mean; }, kHundredths},
    {"aim_pct", [](const StepErrors& e) { return if_positive(e.aim.mean_pct); }},
    {"median_pct", [](const StepErrors& e) -> RowValue { return e.errors.median; }, kHundredths},
    {"p90_pct", [](const StepErrors& e) -> RowValue { return e.errors.p90; }, kTenths},
    {"bias_pct", [](const StepErrors& e) -> RowValue { return e.errors.bias; }, kTenths},
    {"memory_mean_pct", [](const StepErrors& e) { return if_any(e.memory, e.memory.mean); },
     kHundredths},
    {"memory_bias_pct", [](const StepErrors& e) { return if_any(e.memory, e.memory.bias); },
     kTenths},
    {"groups", [](const StepErrors& e) -> RowValue { return static_cast<std::int64_t>(e.groups); }},
    {"regret_pct", [](const StepErrors& e) { return of_groups(e, e.regret); }, kHundredths},
    {"worst_regret_pct", [](const StepErrors& e) { return of_groups(e, e.worst_regret); }, kTenths},
    {"regret_aim_pct", [](const StepErrors& e) { return if_positive(e.aim.regret_pct); }},
    {"tau", [](const StepErrors& e) { return of_groups(e, e.tau); }, kHundredths},
    {"tau_aim", [](const StepErrors& e) { return if_positive(e.aim.tau); }},
    {"fitted", [](const StepErrors& e) -> RowValue { return e.fitted; }},
}};

struct FittedValue {
  const FittedEfficiencies* of;
  std::size_t at;
};

constexpr std::array<Column<FittedValue>, 5> kFittedColumns{{
    {"generation", [](const FittedValue& l) -> RowValue { return l.of->generation; }},
    {"efficiency", [](const FittedValue& l) -> RowValue { return l.of->names[l.at]; }},
    {"value", [](const FittedValue& l) -> RowValue { return l.of->values[l.at]; }, kThousandths},
    {"error_pct",
     [](const FittedValue& l) -> RowValue { return if_finite(100 * l.of->uncertainty[l.at]); },
     kTenths},
    {"runs",
     [](const FittedValue& l) -> RowValue { return static_cast<std::int64_t>(l.of->runs); }},
}};

}  // namespace

RowTable tabulate_steps(const TrainingMap& map, std::span<const PredictedStep> steps) {
  std::vector<Line> lines;
  for (const PredictedStep& step : steps) lines.push_back({&map, &step});
  return tabulate(kColumns, lines);
}

RowTable tabulate_step_errors(std::span<const StepErrors> errors) {
  return tabulate(kErrorColumns, errors);
}

RowTable tabulate_efficiencies(const EfficiencyFit& fit) {
  std::vector<FittedValue> lines;
  for (const auto& [name, fitted] : fit.generations())
    for (std::size_t k = 0; k < fitted.names.size(); ++k) lines.push_back({&fitted, k});
  return tabulate(kFittedColumns, lines);
}

}  // namespace railyard::apps
