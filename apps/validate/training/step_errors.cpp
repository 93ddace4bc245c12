#include "apps/validate/training/step_errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace railyard::apps {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

StepErrors errors_of(const TrainingSet& set, const std::vector<JudgedStep>& steps) {
  StepErrors e{.set = set.name, .runs = steps.size(), .aim = set.aim.value_or(SetAim{})};
  e.fitted = set.fitted;
  std::vector<double> sizes;
  std::map<std::string, std::vector<JudgedStep>> groups;
  for (const JudgedStep& step : steps) {
    sizes.push_back(std::abs(step.error_pct()));
    e.mean_abs += sizes.back() / static_cast<double>(steps.size());
    e.bias += step.error_pct() / static_cast<double>(steps.size());
    groups[step.run->group].push_back(step);
  }
  std::ranges::sort(sizes);
  e.median_abs = quantile(sizes, 0.5);
  e.p90_abs = quantile(sizes, 0.9);
  for (const auto& [name, group] : groups) {
    if (group.size() < 2) continue;
    ++e.groups;
    e.regret += regret_pct(group);
    e.worst_regret = std::max(e.worst_regret, regret_pct(group));
    e.tau += kendall_tau(group);
  }
  if (e.groups > 0) {
    e.regret /= static_cast<double>(e.groups);
    e.tau /= static_cast<double>(e.groups);
  }
  return e;
}

RowValue of_groups(const StepErrors& e, double value) {
  return e.groups == 0 ? RowValue() : RowValue(value);
}
RowValue aimed(double value) { return value > 0 ? RowValue(value) : RowValue(); }

constexpr ColumnStyle kOne{.decimals = 1}, kTwo{.decimals = 2};

constexpr std::array<Column<StepErrors>, 14> kColumns{{
    {"set", [](const StepErrors& e) -> RowValue { return e.set; }},
    {"runs", [](const StepErrors& e) -> RowValue { return static_cast<std::int64_t>(e.runs); }},
    {"mean_pct", [](const StepErrors& e) -> RowValue { return e.mean_abs; }, kTwo},
    {"aim_pct", [](const StepErrors& e) { return aimed(e.aim.mean_pct); }},
    {"median_pct", [](const StepErrors& e) -> RowValue { return e.median_abs; }, kTwo},
    {"p90_pct", [](const StepErrors& e) -> RowValue { return e.p90_abs; }, kOne},
    {"bias_pct", [](const StepErrors& e) -> RowValue { return e.bias; }, kOne},
    {"groups", [](const StepErrors& e) -> RowValue { return static_cast<std::int64_t>(e.groups); }},
    {"regret_pct", [](const StepErrors& e) { return of_groups(e, e.regret); }, kTwo},
    {"worst_regret_pct", [](const StepErrors& e) { return of_groups(e, e.worst_regret); }, kOne},
    {"regret_aim_pct", [](const StepErrors& e) { return aimed(e.aim.regret_pct); }},
    {"tau", [](const StepErrors& e) { return of_groups(e, e.tau); }, kTwo},
    {"tau_aim", [](const StepErrors& e) { return aimed(e.aim.tau); }},
    {"fitted", [](const StepErrors& e) -> RowValue { return e.fitted; }},
}};

}  // namespace

double regret_pct(std::span<const JudgedStep> group) {
  const auto picked = std::ranges::min_element(group, {}, &JudgedStep::predicted_s);
  const auto best = std::ranges::min_element(
      group, {}, [](const JudgedStep& step) { return step.run->measured_s; });
  return 100 * (picked->run->measured_s / best->run->measured_s - 1);
}

double kendall_tau(std::span<const JudgedStep> group) {
  double sum = 0, pairs = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (std::size_t j = i + 1; j < group.size(); ++j) {
      const double agrees = (group[i].predicted_s - group[j].predicted_s) *
                            (group[i].run->measured_s - group[j].run->measured_s);
      sum += agrees > 0 ? 1 : agrees < 0 ? -1 : 0;
      ++pairs;
    }
  }
  return pairs > 0 ? sum / pairs : 0;
}

std::vector<StepErrors> step_errors(const TrainingMap& map, std::span<const JudgedStep> steps) {
  std::vector<std::vector<JudgedStep>> by_set(map.sets.size());
  for (const JudgedStep& step : steps) by_set[step.run->set].push_back(step);
  std::vector<StepErrors> errors;
  for (std::size_t i = 0; i < by_set.size(); ++i)
    if (!by_set[i].empty()) errors.push_back(errors_of(map.sets[i], by_set[i]));
  return errors;
}

RowTable tabulate_step_errors(std::span<const StepErrors> errors) {
  return tabulate(std::span<const Column<StepErrors>>(kColumns), errors);
}

}  // namespace railyard::apps
