#include "placement/capacity/budget/network_power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace railyard::placement {
namespace {

using topology::DeviceKind;

struct TierKind {
  std::string_view name;
  DeviceKind kind;
  std::string switch_model;
};

/// A tier without a switch model has the one of the tier below (topology::FabricSpec).
std::array<TierKind, 3> tier_kinds(const topology::FabricSpec& fabric) {
  const std::string& leaf = fabric.switch_model;
  const std::string& spine = fabric.spine_switch_model.empty() ? leaf : fabric.spine_switch_model;
  const std::string& core = fabric.core_switch_model.empty() ? spine : fabric.core_switch_model;
  return {{{"leaf", DeviceKind::leaf, leaf},
           {"spine", DeviceKind::spine, spine},
           {"core", DeviceKind::core, core}}};
}

std::optional<ListedPower> power_of(const PriceList& prices, const std::string& name) {
  const auto found = prices.items.find(name);
  if (found == prices.items.end() || !found->second.power) return std::nullopt;
  const PriceItem& item = found->second;
  const auto watts = [](const std::optional<Power>& power) {
    return power ? std::optional(power->watts()) : std::nullopt;
  };
  return ListedPower{.item = name,
                     .watts = item.power->watts(),
                     .low = watts(item.power_low),
                     .high = watts(item.power_high),
                     .source = item.power_source};
}

/// Rate of the cables below a tier: the fastest link from below into one of its devices.
Bandwidth cable_rate(const topology::Cluster& cluster, DeviceKind tier) {
  Bandwidth rate;
  for (const topology::Link& link : cluster.links()) {
    const bool is_cable =
        link.kind == topology::LinkKind::port || link.kind == topology::LinkKind::fabric;
    const DeviceKind from = cluster.device(link.from).kind;
    const bool is_below = from < tier || from == DeviceKind::nic;
    if (is_cable && cluster.device(link.to).kind == tier && is_below)
      rate = std::max(rate, link.bandwidth);
  }
  return rate;
}

}  // namespace

void add_network_power(ClusterParts& parts, const topology::Cluster& cluster,
                       const PriceList& prices) {
  for (const TierKind& kind : tier_kinds(cluster.spec().fabric)) {
    const auto tier = std::ranges::find(parts.tiers, kind.name, &TierParts::name);
    if (tier == parts.tiers.end()) continue;
    const double gbps = static_cast<double>(cable_rate(cluster, kind.kind).bits_per_second()) / 1e9;
    tier->switch_power = power_of(prices, "switch/" + kind.switch_model);
    tier->end_power = power_of(prices, fmt::format("optic/{:g}G_sr", gbps));
  }
}

double network_watts(const std::optional<ListedPower>& listed, std::string_view key,
                     const Assumptions& assumed, RangeEnd end) {
  if (!listed || assumed.is_set(key)) return assumed.at(key, end);
  if (end == RangeEnd::value) return listed->watts;
  const std::optional<double>& own = end == RangeEnd::better ? listed->low : listed->high;
  return own.value_or(listed->watts * assumed.at(key, end) / assumed.at(key));
}

}  // namespace railyard::placement
