#include "placement/capacity/training/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/money.hpp"

namespace railyard::placement {
namespace {

double cost_of(const TrainingOption& option) {
  return option.cost ? option.cost->value : option.energy_MWh.value;
}

std::array<double, 4> goals_of(const TrainingOption& option) {
  return {option.days.value, cost_of(option), option.energy_MWh.value,
          static_cast<double>(option.gpus)};
}

/// Whether `a` is at least as good as `b` in everything and better in something.
bool beats(const TrainingOption& a, const TrainingOption& b) {
  const auto left = goals_of(a), right = goals_of(b);
  bool better = false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i] > right[i]) return false;
    better = better || left[i] < right[i];
  }
  return better;
}

struct Miss {
  double ratio;
  std::string text;
};

/// Ratio of each value to its limit, with a text for ratios above 1.
std::array<Miss, 3> misses(const TrainingOption& option, const PlanLimits& limits) {
  const auto over = [](double value, const std::optional<double>& limit, std::string text) {
    return limit ? Miss{value / *limit, std::move(text)} : Miss{0, {}};
  };
  return {over(option.days.value, limits.days, fmt::format("{:.1f} days", option.days.value)),
          over(option.cost ? option.cost->value : std::numeric_limits<double>::infinity(),
               limits.budget,
               option.cost ? "cost " + core::count_text(option.cost->value) : "no price"),
          over(option.power.peak, limits.power_MW, fmt::format("{:.2f} MW", option.power.peak))};
}

}  // namespace

void choose(std::span<TrainingOption> options, const PlanLimits& limits) {
  TrainingOption *cheapest = nullptr, *fastest = nullptr;
  for (TrainingOption& option : options) {
    for (const Miss& miss : misses(option, limits)) {
      if (miss.ratio <= 1) continue;
      option.within_limits = false;
      option.missed += (option.missed.empty() ? "" : ", ") + miss.text;
    }
    if (!option.within_limits) continue;
    if (cheapest == nullptr || cost_of(option) < cost_of(*cheapest)) cheapest = &option;
    if (fastest == nullptr || option.days.value < fastest->days.value) fastest = &option;
  }
  for (TrainingOption& option : options) {
    option.cheapest = &option == cheapest;
    option.fastest = &option == fastest;
    option.pareto =
        option.within_limits && std::ranges::none_of(options, [&](const TrainingOption& other) {
          return other.within_limits && beats(other, option);
        });
  }
}

const TrainingOption* nearest_option(std::span<const TrainingOption> options,
                                     const PlanLimits& limits, double& ratio) {
  const TrainingOption* nearest = nullptr;
  ratio = std::numeric_limits<double>::infinity();
  for (const TrainingOption& option : options) {
    double largest = 0;
    for (const Miss& miss : misses(option, limits)) largest = std::max(largest, miss.ratio);
    if (nearest != nullptr && largest >= ratio) continue;
    nearest = &option;
    ratio = largest;
  }
  return nearest;
}

const TrainingOption& chosen_option(std::span<const TrainingOption> options,
                                    const PlanLimits& limits) {
  const auto cheapest = std::ranges::find_if(options, &TrainingOption::cheapest);
  if (cheapest != options.end()) return *cheapest;
  double ratio = 0;
  return *nearest_option(options, limits, ratio);
}

}  // namespace railyard::placement
