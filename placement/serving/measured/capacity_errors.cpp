#include "placement/serving/measured/capacity_errors.hpp"

#include <array>

namespace railyard::placement::serving {

std::vector<ComparedCapacity> compare_capacities(std::span<const CapacityRun> runs) {
  ServingPredictor predictor;
  const std::vector<PredictedCapacity> predicted =
      predict_capacities(predictor, runs, shipped_efficiencies());
  std::vector<ComparedCapacity> compared;
  for (std::size_t i = 0; i < runs.size(); ++i)
    compared.push_back({.run = &runs[i], .predicted = predicted[i]});
  return compared;
}

std::vector<CapacityErrors> capacity_errors(std::span<const ComparedCapacity> runs) {
  using Run = ComparedCapacity;
  const auto names = [](const Run& one) {
    return std::array{one.run->benchmark + " " + one.run->machine};
  };
  std::vector<CapacityErrors> errors;
  for (const auto& group : core::run_groups<Run>(
           runs, names,
           {{"all at once", [](const Run& one) { return one.run->at_once; }},
            {"all within limits of latency", [](const Run& one) { return !one.run->at_once; }},
            {"all", [](const Run&) { return true; }}}))
    errors.push_back(
        {group.name,
         group.is_overall ? std::string() : split_text(group.runs.front()->predicted.deployment),
         group.errors(&Run::error_pct)});
  return errors;
}

}  // namespace railyard::placement::serving
