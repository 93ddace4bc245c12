#include "placement/serving/measured/power_errors.hpp"

#include <array>

#include "core/error_groups.hpp"

namespace railyard::placement::serving {

double ComparedPower::prompt_error_pct() const {
  return core::error_pct(reading(), run->prompt_power);
}

std::optional<double> ComparedPower::decode_error_pct() const {
  if (run->decode_power <= 0) return std::nullopt;
  return core::error_pct(predicted.decode, run->decode_power);
}

std::vector<ComparedPower> compare_powers(std::span<const PowerRun> runs) {
  ServingPredictor predictor;
  std::vector<ComparedPower> compared;
  for (const PowerRun& run : runs) compared.push_back({&run, predict_power(predictor, run)});
  return compared;
}

std::vector<PowerErrors> power_errors(std::span<const ComparedPower> runs) {
  using Run = ComparedPower;
  const auto names = [](const Run& one) {
    return std::array{one.run->group, "all " + one.run->model};
  };
  std::vector<PowerErrors> errors;
  for (const auto& group : core::run_groups<Run>(runs, names))
    errors.push_back(
        {group.name, group.errors(&Run::prompt_error_pct), group.errors(&Run::decode_error_pct)});
  return errors;
}

}  // namespace railyard::placement::serving
