#include "placement/measured/step_errors.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace railyard::placement {
namespace {

StepErrors errors_of(const TrainingSet& set, const std::vector<PredictedStep>& steps) {
  StepErrors e{.set = set.name, .aim = set.aim.value_or(ErrorTargets{})};
  e.fitted = set.fitted;
  std::vector<double> errors, memory;
  std::map<std::string, std::vector<PredictedStep>> groups;
  for (const PredictedStep& step : steps) {
    errors.push_back(step.error_pct());
    if (step.run->measured_gib > 0) memory.push_back(step.memory_error_pct());
    groups[step.run->group].push_back(step);
  }
  e.errors = core::summarise_errors(std::move(errors));
  if (!memory.empty()) e.memory = core::summarise_errors(std::move(memory));
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

}  // namespace

double regret_pct(std::span<const PredictedStep> group) {
  const auto picked = std::ranges::min_element(group, {}, &PredictedStep::predicted_s);
  const auto best = std::ranges::min_element(
      group, {}, [](const PredictedStep& step) { return step.run->measured_s; });
  return 100 * (picked->run->measured_s / best->run->measured_s - 1);
}

double kendall_tau(std::span<const PredictedStep> group) {
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

std::vector<StepErrors> step_errors(const TrainingMap& map, std::span<const PredictedStep> steps) {
  std::vector<std::vector<PredictedStep>> by_set(map.sets.size());
  for (const PredictedStep& step : steps) by_set[step.run->set].push_back(step);
  std::vector<StepErrors> errors;
  for (std::size_t i = 0; i < by_set.size(); ++i)
    if (!by_set[i].empty()) errors.push_back(errors_of(map.sets[i], by_set[i]));
  return errors;
}

std::vector<StepErrors> overall_step_errors(const TrainingMap& map,
                                            std::span<const PredictedStep> steps) {
  std::vector<StepErrors> errors;
  for (const bool fitted : {true, false}) {
    std::vector<double> chosen;
    for (const PredictedStep& step : steps)
      if (map.sets[step.run->set].fitted == fitted) chosen.push_back(step.error_pct());
    if (chosen.empty()) continue;
    StepErrors& all = errors.emplace_back(StepErrors{.set = fitted ? "all fitted" : "all others"});
    all.errors = core::summarise_errors(std::move(chosen));
    all.fitted = fitted;
  }
  return errors;
}

std::vector<StepErrors> all_step_errors(const TrainingMap& map,
                                        std::span<const PredictedStep> steps) {
  std::vector<StepErrors> errors = step_errors(map, steps);
  for (StepErrors& overall : overall_step_errors(map, steps)) errors.push_back(std::move(overall));
  return errors;
}

std::vector<StepErrors> step_errors_of(const TrainingMap& map, std::span<const PredictedStep> steps,
                                       double PredictedStep::*seconds) {
  std::vector<PredictedStep> others;
  for (const PredictedStep& step : steps) {
    if (!(step.*seconds > 0)) continue;
    others.push_back(step);
    others.back().predicted_s = step.*seconds;
  }
  return others.empty() ? std::vector<StepErrors>() : all_step_errors(map, others);
}

}  // namespace railyard::placement
