#include "placement/mixed/mixed_objective.hpp"

#include <algorithm>

namespace railyard::placement {
namespace {

double steps_of(const Job& job, double tokens) {
  return tokens / (static_cast<double>(job.batch) * job.sequence);
}

/// Share of a step in which the GPUs of a type's slowest stage compute.
double busy_share(const MixedScored& scored, std::size_t type) {
  const double step = scored.step.total.seconds();
  if (step <= 0) return 0;
  return std::min(1.0, (scored.computing[type] + scored.step.optimizer).seconds() / step);
}

/// Money for an hour of so many GPUs; nothing where a price is not known.
std::optional<double> price_of(std::span<const int> gpus, std::span<const Rates> rates) {
  double price = 0;
  for (std::size_t t = 0; t < gpus.size(); ++t) {
    if (gpus[t] == 0) continue;
    if (!(rates[t].price_per_gpu_hour > 0)) return std::nullopt;
    price += gpus[t] * rates[t].price_per_gpu_hour;
  }
  return price;
}

double watts_of(const Rates& r, double busy) {
  return (r.idle_watts + (r.gpu_watts - r.idle_watts) * busy + r.host_watts) * r.pue;
}

/// Watts of GPUs that wait all the time: what they draw at the least.
double idle_watts(std::span<const int> gpus, std::span<const Rates> rates) {
  double watts = 0;
  for (std::size_t t = 0; t < gpus.size(); ++t)
    watts += gpus[t] * std::min(watts_of(rates[t], 0), watts_of(rates[t], 1));
  return watts;
}

}  // namespace

Outlook mixed_outlook(const MixedContext& c, const MixedScored& scored, const MixedGoal& goal) {
  const std::vector<int> gpus = gpus_used(scored.mixed, c.types.size());
  Outlook o{.steps = steps_of(c.job, goal.tokens)};
  const double hours = o.steps * scored.step.total.seconds() / 3600;
  o.days = hours / 24;
  o.gpu_hours = hours * scored.mixed.strategy.gpus();
  if (const auto price = price_of(gpus, goal.rates)) o.cost = *price * hours;
  double megawatts = 0;
  for (std::size_t t = 0; t < gpus.size(); ++t) {
    if (gpus[t] == 0) continue;
    if (!(goal.rates[t].gpu_watts > 0)) return o;
    megawatts += gpus[t] * watts_of(goal.rates[t], busy_share(scored, t)) / 1e6;
  }
  o.power_MW = megawatts;
  o.energy_MWh = megawatts * hours;
  return o;
}

double mixed_value(const MixedScored& scored, const Outlook& outlook, Objective objective) {
  return value_of(objective, {.step = scored.step}, outlook);
}

void aim(MixedSpace& space, const MixedContext& c, const MixedGoal& goal) {
  const double hours = steps_of(c.job, goal.tokens) / 3600;
  if (goal.most_days > 0 && hours > 0) space.longest = goal.most_days * 24 / hours;
  if (goal.objective == Objective::time) return;
  space.counts = gpu_counts(c.types);
  space.value = [&c, goal](const MixedScored& scored) {
    return mixed_value(scored, mixed_outlook(c, scored, goal), goal.objective);
  };
  space.least = [goal, hours](std::span<const int> gpus, double seconds) {
    const double time = hours * seconds;
    if (goal.objective == Objective::days) return time / 24;
    if (goal.objective == Objective::cost) return price_of(gpus, goal.rates).value_or(0) * time;
    return idle_watts(gpus, goal.rates) / 1e6 * time;
  };
}

std::vector<std::vector<int>> gpu_counts(std::span<const GpuType> types) {
  std::vector<std::vector<int>> all{{}};
  for (const GpuType& type : types) {
    std::vector<int> counts{type.gpus()};
    while (counts.back() % (2 * type.gpus_per_node()) == 0) counts.push_back(counts.back() / 2);
    counts.push_back(0);
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& first : all) {
      for (const int count : counts) {
        longer.push_back(first);
        longer.back().push_back(count);
      }
    }
    all = std::move(longer);
  }
  all.pop_back();  // none of any
  return all;
}

}  // namespace railyard::placement
