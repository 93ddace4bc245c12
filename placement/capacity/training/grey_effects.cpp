#include "placement/capacity/training/grey_effects.hpp"

#include <algorithm>

#include "core/duration.hpp"

namespace railyard::placement {

std::vector<GreyEffect> grey_effects(const TrainingOption& option,
                                     std::span<const GreyProcess> processes) {
  std::vector<GreyEffect> effects;
  for (const GreyFailure& grey : option.grey) {
    GreyEffect& effect =
        effects.emplace_back(GreyEffect{.name = grey.name, .why_not = grey.why_not});
    const auto process = std::ranges::find(processes, grey.name, &GreyProcess::name);
    if (process == processes.end()) continue;
    const auto waste = std::ranges::find(option.goodput.causes, grey.name, &CauseWaste::name);
    effect.step_s = grey.step.seconds();
    effect.slowdown = grey.slowdown;
    effect.per_year = process->per_second * core::kSecondsPerYear;
    effect.found_after_h = process->found / 3600;
    effect.found_in_run = waste->interruptions;
    effect.wasted_gpu_hours = waste->total() / 3600 * option.gpus;
  }
  return effects;
}

}  // namespace railyard::placement
