#include "placement/model/objective.hpp"

#include <algorithm>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

/// Share of a step in which the GPUs of the slowest stage compute.
double busy_share(const StepCost& step) {
  if (step.total <= Time()) return 0;
  return std::min(1.0, (step.compute + step.optimizer).seconds() / step.total.seconds());
}

}  // namespace

Outlook outlook(const Job& job, const Scored& s, double tokens, const Rates& rates) {
  const double gpus = s.strategy.gpus(), step = s.step.total.seconds();
  Outlook o{.steps = tokens / (static_cast<double>(job.batch) * job.sequence)};
  const double hours = o.steps * step / 3600;
  o.days = hours / 24;
  o.gpu_hours = hours * gpus;
  if (rates.price_per_gpu_hour > 0) o.cost = o.gpu_hours * rates.price_per_gpu_hour;
  if (rates.gpu_watts > 0) {
    const double u = busy_share(s.step);
    const double each =
        rates.idle_watts + (rates.gpu_watts - rates.idle_watts) * u + rates.host_watts;
    o.power_MW = gpus * each * rates.pue / 1e6;
    o.energy_MWh = *o.power_MW * hours;
  }
  return o;
}

double value_of(Objective objective, const Scored& scored, const Outlook& o) {
  switch (objective) {
    case Objective::time: return scored.step.total.seconds();
    case Objective::days: return o.days;
    case Objective::cost:
      if (!o.cost) throw InputError("", "--objective", "a cost needs a price", "--price 2.5");
      return *o.cost;
    case Objective::energy: break;
  }
  if (!o.energy_MWh)
    throw InputError("", "--objective", "energy needs the power of a GPU", "--gpu-power 700");
  return *o.energy_MWh;
}

}  // namespace railyard::placement
