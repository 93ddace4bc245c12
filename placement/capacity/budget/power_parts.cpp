#include "placement/capacity/budget/power_parts.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "placement/capacity/budget/network_power.hpp"

namespace railyard::placement {
namespace {
constexpr double kPerMega = 1e6;

double switch_watts(const ClusterParts& cluster, const Assumptions& assumed, RangeEnd end) {
  double watts = 0;
  for (const TierParts& tier : cluster.tiers)
    watts += tier.switches * network_watts(tier.switch_power, "switch_power", assumed, end);
  return watts;
}

/// Both ends of all cables below a tier.
double optics_watts(const TierParts& tier, const Assumptions& assumed, RangeEnd end) {
  return 2.0 * tier.cables * network_watts(tier.end_power, "optics_power", assumed, end);
}

}  // namespace

Rates power_rates(const Processor& gpu, const ClusterParts& cluster, const Assumptions& assumed,
                  RangeEnd end) {
  const double limit = gpu.power.watts();
  double fabric = switch_watts(cluster, assumed, end);
  for (const TierParts& tier : cluster.tiers) fabric += optics_watts(tier, assumed, end);
  return {.gpu_watts = limit * assumed.at("compute_power", end),
          .idle_watts = limit * assumed.at("idle_power", end),
          .communication_watts = limit * assumed.at("communication_power", end),
          .host_watts = assumed.at("host_power", end) + fabric / std::max(1, cluster.gpus),
          .pue = assumed.at("pue", end)};
}

PowerParts power_parts(const Scored& scored, const ByType<Rates>& rates, int spare_gpus,
                       const ClusterParts& cluster, const Assumptions& assumed, RangeEnd end) {
  const double gpus = scored.strategy.gpus(), all = gpus + spare_gpus, pue = assumed.at("pue", end);
  double compute = 0, communication = 0, idle = 0;  // watts of all GPUs if all were in the phase
  PhaseShares shares{.idle = 0};
  PowerParts power;
  std::array<double, 3> phases{};
  const std::vector<int> used = gpus_used(scored.strategy, rates.size());
  for (std::size_t t = 0; t < used.size(); ++t) {
    const Rates& its = rates[t];
    const double count = used[t], talks = its.communication_watts.value_or(its.idle_watts);
    const PhaseShares own = phase_shares(scored, t);
    compute += count * its.gpu_watts;
    communication += count * talks;
    idle += count * its.idle_watts;
    phases[0] += count * its.gpu_watts * own.compute;
    phases[1] += count * talks * own.communication;
    phases[2] += count * its.idle_watts * own.idle;
    shares.compute += count / gpus * own.compute;
    shares.communication += count / gpus * own.communication;
    shares.idle += count / gpus * own.idle;
  }
  const double spares = spare_gpus * idle / gpus;
  const auto add = [&](std::string name, double watts, double share = 1) {
    power.parts.push_back({std::move(name), watts / kPerMega, share});
    power.mean += watts / kPerMega;
  };
  add("GPUs, compute", phases[0], shares.compute);
  add("GPUs, communication", phases[1], shares.communication);
  add("GPUs, idle", phases[2], shares.idle);
  add("spare GPUs", spares);
  add("hosts", all * assumed.at("host_power", end));
  const double part = all / std::max(1, cluster.gpus);
  add("switches", part * switch_watts(cluster, assumed, end));
  for (const TierParts& tier : cluster.tiers)
    add("optics, " + tier.name, part * optics_watts(tier, assumed, end));
  add("cooling and losses", power.mean * kPerMega * (pue - 1));
  const double others = (all * rates[0].host_watts + spares) * pue;
  power.peak = (others + compute * pue) / kPerMega;
  power.waiting = (others + idle * pue) / kPerMega;
  power.ramp = (compute - communication) * pue / kPerMega;
  return power;
}

}  // namespace railyard::placement
