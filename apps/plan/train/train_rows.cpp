#include "apps/plan/train/train_rows.hpp"

#include <array>

#include "apps/output/row_values.hpp"
#include "apps/output/strategy_rows.hpp"
#include "apps/output/table_columns.hpp"
#include "placement/capacity/goodput/time_parts.hpp"
#include "placement/capacity/training/grey_effects.hpp"

namespace railyard::apps {
namespace {

using placement::Ranged;
using placement::TrainingOption;
using Row = TrainingOption;

template <double Ranged::*end>
RowValue of_range(const std::optional<Ranged>& range) {
  return range ? RowValue((*range).*end) : RowValue();
}

std::string pick_of(const Row& r) {
  std::string text;
  const auto add = [&](bool is, const char* what) {
    if (is) text += text.empty() ? what : std::string(", ") + what;
  };
  add(r.cheapest, "cheapest");
  add(r.fastest, "fastest");
  add(r.pareto && !r.cheapest && !r.fastest, "pareto");
  return text;
}

constexpr std::array<Column<Row>, 4> kPlace{{
    {"cluster", [](const Row& r) -> RowValue { return r.cluster; }, kShared},
    {"gpu", [](const Row& r) -> RowValue { return r.gpu; }, kShared},
    {"nodes", [](const Row& r) -> RowValue { return std::int64_t{r.nodes}; }},
    {"spare_nodes", [](const Row& r) -> RowValue { return std::int64_t{r.spares}; }},
}};

constexpr std::array<Column<Row>, 33> kOutcome{{
    {"simulated", [](const Row& r) -> RowValue { return r.simulated; }, kShared},
    {"days", [](const Row& r) -> RowValue { return r.days.value; }, kTenths},
    {"energy_MWh", [](const Row& r) -> RowValue { return r.energy_MWh.value; }, kWhole},
    {"cost", [](const Row& r) { return of_range<&Ranged::value>(r.cost); }, kWhole},
    {"goodput", [](const Row& r) -> RowValue { return r.goodput.goodput.mean; }, kThousandths},
    {"power_MW", [](const Row& r) -> RowValue { return r.power.mean; }, kHundredths},
    {"pick", [](const Row& r) { return text_or_nothing(pick_of(r)); }},
    {"missed_limits", [](const Row& r) { return text_or_nothing(r.missed); }},
    {"within_limits", [](const Row& r) -> RowValue { return r.within_limits; }, kShared},
    {"days_low", [](const Row& r) -> RowValue { return r.days.low; }, kTenths},
    {"days_high", [](const Row& r) -> RowValue { return r.days.high; }, kTenths},
    {"days_without_failures", [](const Row& r) -> RowValue { return r.training_days; }, kTenths},
    {"days_p95", [](const Row& r) -> RowValue { return r.goodput.elapsed_p95 / 86'400; }, kTenths},
    {"goodput_error",
     [](const Row& r) -> RowValue { return r.goodput.goodput.half_width; },
     {.decimals = 4}},
    {"mttf_h", [](const Row& r) { return if_finite(r.mean_time_to_failure_h); }, kTenths},
    {"hardware_mttf_h", [](const Row& r) { return if_known(r.hardware_time_to_failure_h); },
     kTenths},
    {"interruptions", [](const Row& r) -> RowValue { return r.goodput.interruptions; }, kTenths},
    {"speed_shrunk",
     [](const Row& r) { return r.shrunk.exists() ? RowValue(r.shrunk.speed) : RowValue(); },
     kThousandths},
    {"checkpoint_GB", [](const Row& r) -> RowValue { return r.checkpoint.bytes / 1e9; }, kTenths},
    {"checkpoint_stall_s", [](const Row& r) -> RowValue { return r.checkpoint.stall; },
     kThousandths},
    {"checkpoint_interval_s", [](const Row& r) -> RowValue { return r.interval_s; }, kWhole},
    {"energy_MWh_low", [](const Row& r) -> RowValue { return r.energy_MWh.low; }, kWhole},
    {"energy_MWh_high", [](const Row& r) -> RowValue { return r.energy_MWh.high; }, kWhole},
    {"peak_MW", [](const Row& r) -> RowValue { return r.power.peak; }, kHundredths},
    {"ramp_MW", [](const Row& r) -> RowValue { return r.power.ramp; }, kHundredths},
    {"carbon_t", [](const Row& r) -> RowValue { return r.carbon_t.value; }, kWhole},
    {"cost_low", [](const Row& r) { return of_range<&Ranged::low>(r.cost); }, kWhole},
    {"cost_high", [](const Row& r) { return of_range<&Ranged::high>(r.cost); }, kWhole},
    {"cost_per_Mtoken",
     [](const Row& r) { return if_known(r.cost_per_million_tokens); },
     {.decimals = 4}},
    {"own_cost", [](const Row& r) { return of_range<&Ranged::value>(r.own_cost); }, kWhole},
    {"own_cost_low", [](const Row& r) { return of_range<&Ranged::low>(r.own_cost); }, kWhole},
    {"own_cost_high", [](const Row& r) { return of_range<&Ranged::high>(r.own_cost); }, kWhole},
    {"break_even_years", [](const Row& r) { return if_known(r.break_even_years); }, kHundredths},
}};

RowTable strategies_of(std::span<const Row> options) {
  std::vector<StrategyRow> rows;
  for (const Row& option : options)
    rows.push_back({.scored = option.best,
                    .tokens_per_s = option.tokens_per_s,
                    .tflops_per_gpu = option.tflops_per_gpu,
                    .mfu = option.mfu,
                    .bound_by = option.bound_by});
  return tabulate_strategies(rows);
}

using placement::ScalingPoint;
constexpr std::array<Column<ScalingPoint>, 7> kScaling{{
    {"cluster", [](const ScalingPoint& r) -> RowValue { return r.cluster; }, kShared},
    {"gpus", [](const ScalingPoint& r) -> RowValue { return std::int64_t{r.gpus}; }},
    {"tokens_per_s", [](const ScalingPoint& r) -> RowValue { return r.tokens_per_s; }, kWhole},
    {"strong_efficiency", [](const ScalingPoint& r) -> RowValue { return r.strong; }, kThousandths},
    {"strong_limit", [](const ScalingPoint& r) { return text_or_nothing(r.strong_limit); }},
    {"weak_efficiency", [](const ScalingPoint& r) { return if_known(r.weak); }, kThousandths},
    {"weak_limit", [](const ScalingPoint& r) { return text_or_nothing(r.weak_limit); }},
}};

using placement::TimePart;
template <double placement::CauseWaste::*part>
RowValue hours_of(const TimePart& r) {
  return r.waste ? RowValue((*r.waste).*part / 3600) : RowValue();
}

constexpr std::array<Column<TimePart>, 9> kTime{{
    {"part", [](const TimePart& r) -> RowValue { return r.name; }},
    {"interruptions",
     [](const TimePart& r) { return r.waste ? RowValue(r.waste->interruptions) : RowValue(); },
     kTenths},
    {"hours", [](const TimePart& r) -> RowValue { return r.seconds / 3600; }, kTenths},
    {"share", [](const TimePart& r) -> RowValue { return r.share; }, {.decimals = 4}},
    {"lost_h", hours_of<&placement::CauseWaste::lost>, kTenths},
    {"detection_h", hours_of<&placement::CauseWaste::detection>, kTenths},
    {"restart_h", hours_of<&placement::CauseWaste::restart>, kTenths},
    {"waiting_h", hours_of<&placement::CauseWaste::waiting>, kTenths},
    {"slow_h", hours_of<&placement::CauseWaste::slow>, kTenths},
}};

using placement::WasteShare;
constexpr std::array<Column<WasteShare>, 4> kWastes{{
    {"cause", [](const WasteShare& r) -> RowValue { return r.cause; }},
    {"wasted_gpu_hours", [](const WasteShare& r) -> RowValue { return r.gpu_hours; }, kWhole},
    {"share", [](const WasteShare& r) -> RowValue { return r.share; }, {.decimals = 4}},
    {"goodput_if_halved",
     [](const WasteShare& r) -> RowValue { return r.goodput_halved; },
     {.decimals = 4}},
}};

struct RecoveryRow {
  const placement::RecoveryPolicy& policy;
  const placement::Shrinking& shrinking;
};
using placement::RecoveryOutcome;
using placement::RecoveryPolicy;
template <RecoveryOutcome RecoveryPolicy::*outcome, double RecoveryOutcome::*part>
RowValue recovery_value(const RecoveryRow& r) {
  return r.policy.*outcome.*part;
}
constexpr std::array<Column<RecoveryRow>, 9> kRecovery{{
    {"spare_nodes", [](const RecoveryRow& r) -> RowValue { return std::int64_t{r.policy.spares}; }},
    {"waiting_goodput",
     recovery_value<&RecoveryPolicy::waiting, &RecoveryOutcome::goodput>,
     {.decimals = 4}},
    {"shrinking_goodput",
     recovery_value<&RecoveryPolicy::shrinking, &RecoveryOutcome::goodput>,
     {.decimals = 4}},
    {"fastest_goodput",
     recovery_value<&RecoveryPolicy::fastest, &RecoveryOutcome::goodput>,
     {.decimals = 4}},
    {"waiting_days", recovery_value<&RecoveryPolicy::waiting, &RecoveryOutcome::days>, kTenths},
    {"shrinking_days", recovery_value<&RecoveryPolicy::shrinking, &RecoveryOutcome::days>, kTenths},
    {"fastest_days", recovery_value<&RecoveryPolicy::fastest, &RecoveryOutcome::days>, kTenths},
    {"speed_shrunk", [](const RecoveryRow& r) -> RowValue { return r.shrinking.strategy.speed; },
     kThousandths},
    {"strategy_shrunk",
     [](const RecoveryRow& r) { return text_or_nothing(r.shrinking.strategy.strategy); }},
}};

using placement::GreyEffect;
constexpr std::array<Column<GreyEffect>, 8> kGrey{{
    {"grey_failure", [](const GreyEffect& r) -> RowValue { return r.name; }},
    {"step_s", [](const GreyEffect& r) { return if_known(r.step_s); }, kThousandths},
    {"slowdown", [](const GreyEffect& r) { return if_known(r.slowdown); }, kThousandths},
    {"per_year", [](const GreyEffect& r) { return if_known(r.per_year); }, kTenths},
    {"found_after_h", [](const GreyEffect& r) { return if_known(r.found_after_h); }, kTenths},
    {"found_in_run", [](const GreyEffect& r) { return if_known(r.found_in_run); }, kTenths},
    {"wasted_gpu_hours", [](const GreyEffect& r) { return if_known(r.wasted_gpu_hours); }, kWhole},
    {"not_possible", [](const GreyEffect& r) { return text_or_nothing(r.why_not); }},
}};

using placement::Change;
RowValue if_done(const Change& r, const std::optional<double>& value) {
  return r.why_not.empty() && value ? RowValue(*value) : RowValue();
}

constexpr std::array<Column<Change>, 7> kChanges{{
    {"change", [](const Change& r) -> RowValue { return r.name; }},
    {"days", [](const Change& r) { return if_done(r, r.days); }, kTenths},
    {"day_change", [](const Change& r) { return if_done(r, r.day_change); }, kTenths},
    {"cost", [](const Change& r) { return if_done(r, r.cost); }, kWhole},
    {"cost_change", [](const Change& r) { return if_done(r, r.cost_change); }, kWhole},
    {"strategy", [](const Change& r) { return text_or_nothing(r.strategy); }},
    {"not_possible", [](const Change& r) { return text_or_nothing(r.why_not); }},
}};

using placement::CostPart;
constexpr std::array<Column<CostPart>, 2> kCosts{{
    {"part", [](const CostPart& r) -> RowValue { return r.name; }},
    {"cost", [](const CostPart& r) -> RowValue { return r.cost; }, kWhole},
}};

using placement::PowerPart;
constexpr std::array<Column<PowerPart>, 3> kPower{{
    {"part", [](const PowerPart& r) -> RowValue { return r.name; }},
    {"mean_MW", [](const PowerPart& r) -> RowValue { return r.megawatts; }, kThousandths},
    {"share_of_step", [](const PowerPart& r) -> RowValue { return r.share_of_step; }, kThousandths},
}};

}  // namespace

RowTable tabulate_options(std::span<const Row> options) {
  RowTable table = tabulate(kPlace, options);
  add_columns(strategies_of(options), table);
  add_columns(tabulate(kOutcome, options), table);
  return table;
}

RowTable summarise_options(std::span<const Row> options) {
  return columns_of(
      tabulate_options(options),
      {"cluster", "gpus", "tp", "pp", "dp", "cp", "ep", "iteration_s", "mfu", "days", "goodput",
       "cost", "own_cost", "energy_MWh", "power_MW", "pick", "missed_limits", "bound_by"});
}

RowTable tabulate_scaling(std::span<const ScalingPoint> points) {
  return tabulate(kScaling, points);
}

RowTable tabulate_time(const Row& option) {
  return tabulate(kTime, placement::time_parts(option.goodput));
}

RowTable tabulate_wastes(std::span<const WasteShare> wastes) { return tabulate(kWastes, wastes); }

RowTable tabulate_recovery(const placement::Shrinking& shrinking) {
  std::vector<RecoveryRow> rows;
  for (const placement::RecoveryPolicy& policy : shrinking.policies)
    rows.push_back({.policy = policy, .shrinking = shrinking});
  return tabulate(kRecovery, rows);
}

RowTable tabulate_grey(const Row& option, std::span<const placement::GreyProcess> processes) {
  return tabulate(kGrey, placement::grey_effects(option, processes));
}

RowTable tabulate_changes(std::span<const Change> changes) { return tabulate(kChanges, changes); }

RowTable tabulate_cost(const Row& option) { return tabulate(kCosts, option.cost_parts); }

RowTable tabulate_power(const Row& option) {
  std::vector<PowerPart> rows = option.power.parts;
  rows.push_back({.name = "mean", .megawatts = option.power.mean});
  rows.push_back({.name = "peak", .megawatts = option.power.peak});
  return tabulate(kPower, rows);
}

}  // namespace railyard::apps
