#include "placement/capacity/budget/power_parts.hpp"

#include <algorithm>

namespace railyard::placement {
namespace {
constexpr double kPerMega = 1e6;

/// What the price list has, with the relative range of the assumption; the assumption where the
/// list has nothing or --assume sets it.
double watts_or_assumed(const std::optional<double>& listed, std::string_view key,
                        const Assumptions& assumed, RangeEnd end) {
  if (!listed || assumed.is_set(key)) return assumed.at(key, end);
  return *listed * assumed.at(key, end) / assumed.at(key);
}

double switch_watts(const ClusterParts& cluster, const Assumptions& assumed, RangeEnd end) {
  double watts = 0;
  for (const TierParts& tier : cluster.tiers)
    watts += tier.switches * watts_or_assumed(tier.switch_watts, "switch_power", assumed, end);
  return watts;
}

/// Of both ends of the cables of a tier.
double optics_watts(const TierParts& tier, const Assumptions& assumed, RangeEnd end) {
  return 2.0 * tier.cables * watts_or_assumed(tier.end_watts, "optics_power", assumed, end);
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

PowerParts power_parts(const Scored& scored, const Rates& rates, int spare_gpus,
                       const ClusterParts& cluster, const Assumptions& assumed, RangeEnd end) {
  const double gpus = scored.strategy.gpus(), all = gpus + spare_gpus;
  const PhaseShares shares = phase_shares(scored);
  const double communication = rates.communication_watts.value_or(rates.idle_watts);
  PowerParts power;
  const auto add = [&](std::string name, double watts, double share = 1) {
    power.parts.push_back({std::move(name), watts / kPerMega, share});
    power.mean += watts / kPerMega;
  };
  add("GPUs, compute", gpus * rates.gpu_watts * shares.compute, shares.compute);
  add("GPUs, communication", gpus * communication * shares.communication, shares.communication);
  add("GPUs, idle", gpus * rates.idle_watts * shares.idle, shares.idle);
  add("spare GPUs", spare_gpus * rates.idle_watts);
  add("hosts", all * assumed.at("host_power", end));
  const double part = all / std::max(1, cluster.gpus);
  add("switches", part * switch_watts(cluster, assumed, end));
  for (const TierParts& tier : cluster.tiers)
    add("optics, " + tier.name, part * optics_watts(tier, assumed, end));
  add("cooling and losses", power.mean * kPerMega * (rates.pue - 1));
  const double others = (all * rates.host_watts + spare_gpus * rates.idle_watts) * rates.pue;
  power.peak = (others + gpus * rates.gpu_watts * rates.pue) / kPerMega;
  power.waiting = (others + gpus * rates.idle_watts * rates.pue) / kPerMega;
  power.ramp = gpus * (rates.gpu_watts - communication) * rates.pue / kPerMega;
  return power;
}

}  // namespace railyard::placement
