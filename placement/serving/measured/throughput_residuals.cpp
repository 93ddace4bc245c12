#include "placement/serving/measured/throughput_residuals.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace railyard::placement::serving {

std::vector<ThroughputResidual> high_load_residuals(std::span<const PredictedRun> runs) {
  std::map<std::string, double> most;
  const auto clients = [](const ServingRun& run) { return run.clients(); };
  for (const PredictedRun& one : runs)
    most[one.run->group] = std::max(most[one.run->group], clients(*one.run));
  std::map<std::string, std::vector<double>> ratios;
  for (const auto& [run, ttft, tpot] : runs)
    if (2 * clients(*run) >= most[run->group])
      ratios[run->group].push_back(
          run->tokens_per_s_per_gpu(run->measured_ttft, run->measured_tpot) /
          run->tokens_per_s_per_gpu(ttft, tpot));
  std::vector<ThroughputResidual> residuals;
  for (const auto& [group, all] : ratios)
    for (const double ratio : all)
      residuals.push_back({.ratio = ratio, .weight = 1 / static_cast<double>(all.size())});
  return residuals;
}

}  // namespace railyard::placement::serving
