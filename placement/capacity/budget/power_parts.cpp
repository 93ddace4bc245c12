#include "placement/capacity/budget/power_parts.hpp"

#include <algorithm>

namespace railyard::placement {
namespace {
constexpr double kPerMega = 1e6;
}

Rates power_rates(const Processor& gpu, const ClusterParts& cluster, const Assumptions& assumed,
                  RangeEnd end) {
  const double limit = gpu.power.watts();
  const double fabric = cluster.switches() * assumed.at("switch_power", end) +
                        2.0 * cluster.cables() * assumed.at("optics_power", end);
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
  add("switches", part * cluster.switches() * assumed.at("switch_power", end));
  for (const TierParts& tier : cluster.tiers)
    add("optics, " + tier.name, part * 2 * tier.cables * assumed.at("optics_power", end));
  add("cooling and losses", power.mean * kPerMega * (rates.pue - 1));
  const double others = (all * rates.host_watts + spare_gpus * rates.idle_watts) * rates.pue;
  power.peak = (others + gpus * rates.gpu_watts * rates.pue) / kPerMega;
  power.waiting = (others + gpus * rates.idle_watts * rates.pue) / kPerMega;
  power.ramp = gpus * (rates.gpu_watts - communication) * rates.pue / kPerMega;
  return power;
}

}  // namespace railyard::placement
