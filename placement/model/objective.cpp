#include "placement/model/objective.hpp"

#include <algorithm>

#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

double watts_of(const Rates& r, const PhaseShares& shares) {
  const double communication = r.communication_watts.value_or(r.idle_watts);
  return (r.idle_watts + (r.gpu_watts - r.idle_watts) * shares.compute +
          (communication - r.idle_watts) * shares.communication + r.host_watts) *
         r.pue;
}

}  // namespace

PhaseShares phase_shares(const ScoredStrategy& scored, std::size_t type) {
  const StepCost& step = scored.step;
  if (step.total <= Time()) return {};
  const Time computing = scored.computing.empty() ? step.compute : scored.computing[type];
  const double whole = step.total.seconds();
  PhaseShares shares;
  shares.compute = std::min(1.0, (computing + step.optimizer).seconds() / whole);
  shares.communication = std::min(1 - shares.compute, step.exposed().seconds() / whole);
  shares.idle = 1 - shares.compute - shares.communication;
  return shares;
}

std::optional<double> price_of(std::span<const int> gpus, const ByType<Rates>& rates) {
  double price = 0;
  for (std::size_t t = 0; t < gpus.size(); ++t) {
    if (gpus[t] == 0) continue;
    if (!(rates[t].price_per_gpu_hour > 0)) return std::nullopt;
    price += gpus[t] * rates[t].price_per_gpu_hour;
  }
  return price;
}

double least_watts(std::span<const int> gpus, const ByType<Rates>& rates) {
  double watts = 0;
  for (std::size_t t = 0; t < gpus.size(); ++t)
    watts +=
        gpus[t] * std::min(watts_of(rates[t], {}), watts_of(rates[t], {.compute = 1, .idle = 0}));
  return watts;
}

TrainingTotals training_totals(const Job& job, const ScoredStrategy& s, double tokens,
                               const ByType<Rates>& rates) {
  const std::vector<int> gpus = gpus_used(s.strategy, rates.size());
  TrainingTotals o{.steps = tokens / (static_cast<double>(job.batch) * job.sequence)};
  const double hours = o.steps * s.step.total.seconds() / 3600;
  o.days = hours / 24;
  o.gpu_hours = hours * s.strategy.gpus();
  if (const auto price = price_of(gpus, rates)) o.cost = *price * hours;
  double megawatts = 0;
  for (std::size_t t = 0; t < gpus.size(); ++t) {
    if (gpus[t] == 0) continue;
    if (!(rates[t].gpu_watts > 0)) return o;
    megawatts += gpus[t] * watts_of(rates[t], phase_shares(s, t)) / 1e6;
  }
  o.power_MW = megawatts;
  o.energy_MWh = megawatts * hours;
  return o;
}

double value_of(Objective objective, const ScoredStrategy& scored, const TrainingTotals& o) {
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
