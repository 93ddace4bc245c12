#include "topology/fabric/port_count.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/diagnostic.hpp"
#include "topology/cluster/topology_names.hpp"
#include "topology/fabric/fabric_design.hpp"
#include "topology/fabric/read_switch_model.hpp"

namespace railyard::topology {
namespace {

/// Ports of one switch by rate.
using Rates = std::map<Bandwidth, int>;

struct SwitchPorts {
  Rates down, up;
  [[nodiscard]] int count() const {
    int sum = 0;
    for (const auto& [rate, ports] : down) sum += ports;
    for (const auto& [rate, ports] : up) sum += ports;
    return sum;
  }
};

SwitchPorts ports_of(const Cluster& cluster, DeviceId id) {
  const int own = tier(cluster.device(id).kind);
  SwitchPorts ports;
  for (const LinkId link_id : cluster.out_links(id)) {
    const Link& link = cluster.link(link_id);
    const bool is_up = tier(cluster.device(link.to).kind) > own;
    ++(is_up ? ports.up : ports.down)[link.bandwidth];
  }
  return ports;
}

int sum(const Rates& rates) {
  int ports = 0;
  for (const auto& [rate, count] : rates) ports += count;
  return ports;
}

TierPorts describe(const SwitchPorts& fullest) {
  TierPorts tier;
  tier.down = sum(fullest.down);
  tier.up = sum(fullest.up);
  if (tier.down > 0) tier.down_rate = fullest.down.rbegin()->first;
  if (tier.up > 0) tier.up_rate = fullest.up.rbegin()->first;
  Rates all = fullest.down;
  for (const auto& [rate, count] : fullest.up) all[rate] += count;
  for (const auto& [rate, count] : all) tier.used.push_back({rate, count});
  return tier;
}

std::string tier_name(DeviceKind kind) { return std::string(to_text(kind)); }

/// The switch model of a tier, and how messages refer to it.
struct KnownSwitch {
  SwitchModel model;
  std::string text;
};

std::optional<KnownSwitch> switch_of(const Cluster& cluster, const TierPorts& tier) {
  if (tier.model) return KnownSwitch{*tier.model, tier.model->name};
  const FabricSpec& fabric = cluster.spec().fabric;
  if (fabric.kind == FabricKind::explicit_list) return {};
  Bandwidth fastest = std::max(tier.down_rate, tier.up_rate);
  // A computed uplink rate may be faster than any port. The downlink rate then tells the generation
  // of the switch.
  for (const Bandwidth rate : {fastest, tier.down_rate}) {
    try {
      SwitchModel model = largest_switch(protocol_of(fabric.transport), rate);
      std::string text = fmt::format("{}, the largest shipped switch with that speed", model.name);
      return KnownSwitch{std::move(model), std::move(text)};
    } catch (const InputError&) {
    }
  }
  return {};
}

/// The parameters in which two fabrics differ: "spines_per_pod 8 (now 7), ...".
std::string differences(const FabricSpec& nearest, const FabricSpec& given,
                        const std::vector<TierPorts>& tiers) {
  std::vector<std::string> texts;
  const auto add = [&](std::string_view key, double now, double before) {
    if (before <= 0 || std::abs(now - before) < 1e-4 * before) return;
    texts.push_back(fmt::format("{} {:.6g} (now {:.6g})", key, now, before));
  };
  const auto add_count = [&](std::string_view key, const std::optional<int>& now,
                             const std::optional<int>& before, std::size_t built) {
    if (!now) return;
    add(key, *now, before ? *before : static_cast<double>(built));
  };
  const auto switches = [&](std::size_t tier) {
    return tier < tiers.size() ? tiers[tier].switches : 0;
  };
  if (nearest.tiers != given.tiers && nearest.kind != FabricKind::leaf_spine &&
      nearest.kind != FabricKind::clos3 && nearest.kind != FabricKind::fat_tree)
    add("tiers", nearest.tiers, given.tiers);
  add_count("nodes_per_unit", nearest.nodes_per_unit, given.nodes_per_unit, 0);
  add_count("units_per_pod", nearest.units_per_pod, given.units_per_pod, 0);
  add_count("spines_per_pod", nearest.spines_per_pod, given.spines_per_pod, switches(1));
  add("leaf_oversubscription", nearest.leaf_oversubscription, given.leaf_oversubscription);
  add_count("cores", nearest.cores, given.cores, switches(2));
  add("spine_oversubscription", nearest.spine_oversubscription, given.spine_oversubscription);
  add_count("k", nearest.k, given.k, 0);
  return fmt::format("{}", fmt::join(texts, ", "));
}

class PortCheck {
 public:
  explicit PortCheck(const Cluster& cluster) : cluster_(cluster), tiers_(count_ports(cluster)) {}

  std::vector<PortFinding> run() && {
    for (const TierPorts& tier : tiers_) check(tier);
    return std::move(findings_);
  }

 private:
  void check(const TierPorts& tier) {
    const auto known = switch_of(cluster_, tier);
    if (!known) return;
    const FabricSpec& fabric = cluster_.spec().fabric;
    const bool is_generated = fabric.kind != FabricKind::explicit_list;
    const std::string name = tier_name(tier.tier);
    if (is_generated && tier.up > 0 && !is_port_speed(known->model, tier.up_rate)) {
      add(PortProblem::odd_rate, tier.tier,
          fmt::format("a {} has {} uplinks of {:.5g} Gb/s, which is not a port speed", name,
                      tier.up, static_cast<double>(tier.up_rate.bits_per_second()) / 1e9));
      return;
    }
    // The tier below already reported this rate as its uplinks.
    if (is_generated && tier.tier != DeviceKind::leaf &&
        !is_port_speed(known->model, tier.down_rate))
      return;
    const auto share = tier.share_of(known->model);
    const int ports = tier.down + tier.up;
    if (!share || share->free < 0) {
      add(PortProblem::beyond_radix, tier.tier,
          fmt::format("a {} needs {} ports ({} down, {} up) of up to {}; {} has {}", name, ports,
                      tier.down, tier.up, to_text(std::max(tier.down_rate, tier.up_rate)),
                      known->text,
                      share ? fmt::format("{}", share->used + share->free) : "none of that speed"));
      return;
    }
    const bool is_few = ports < 4 || (tier.model && 16 * share->used < share->used + share->free);
    if (is_generated && is_few && tier.tier != DeviceKind::leaf && tier.switches >= 4)
      add(PortProblem::idle_ports, tier.tier,
          fmt::format("each of {} {} switches uses only {} of {} ports; {} of them would be enough",
                      tier.switches, name, share->used, share->used + share->free,
                      fewer_switches(tier, *share)));
  }

  static std::string fewer_switches(const TierPorts& tier, const TierPorts::Share& share) {
    const auto ports = static_cast<std::size_t>(share.used) + static_cast<std::size_t>(share.free);
    const std::size_t all = tier.switches * static_cast<std::size_t>(share.used);
    return fmt::format("{}", (all + ports - 1) / ports);
  }

  void add(PortProblem problem, DeviceKind tier, std::string message) {
    if (problem != PortProblem::idle_ports) message += "; " + nearest();
    findings_.push_back({problem, tier, std::move(message)});
  }

  /// A hint: the nearest fabric that the switches of the tiers can build, or the largest one.
  std::string nearest() const {
    const FabricSpec& fabric = cluster_.spec().fabric;
    if (fabric.kind == FabricKind::explicit_list || fabric.kind == FabricKind::single_switch)
      return "use a switch with more ports, or add a tier";
    DesignRequest request{.kind = fabric.kind,
                          .tiers = fabric.tiers,
                          .demand = demand_of(cluster_),
                          .models = {},
                          .leaf_oversubscription = fabric.leaf_oversubscription,
                          .spine_oversubscription = fabric.spine_oversubscription};
    for (std::size_t tier = 0; tier < request.models.size(); ++tier) {
      const TierPorts& ports = tiers_[std::min(tier, tiers_.size() - 1)];
      const auto known = switch_of(cluster_, ports);
      request.models[tier] =
          fabric.models[tier] ? *fabric.models[tier]
          : known             ? known->model
                  : largest_switch(protocol_of(fabric.transport), request.demand.nic_rate);
    }
    if (const auto design = nearest_design(request, fabric))
      return "the nearest that can be built: " + differences(design->fabric, fabric, tiers_);
    const int most = most_nodes(request);
    if (most == 0) return "no fabric of this kind can be built from it";
    return fmt::format("a {} fabric of this switch connects at most {} nodes", to_text(fabric.kind),
                       most);
  }

  static std::string_view to_text(FabricKind kind) { return core::enum_name(kind); }
  static std::string to_text(Bandwidth rate) { return core::to_text(rate); }

  const Cluster& cluster_;
  std::vector<TierPorts> tiers_;
  std::vector<PortFinding> findings_;
};

}  // namespace

std::optional<TierPorts::Share> TierPorts::share_of(const SwitchModel& switch_model) const {
  const auto occupied = cages_used(switch_model, used);
  const Bandwidth rate = down > 0 ? down_rate : up_rate;
  const auto ports = ports_at(switch_model, rate);
  if (!occupied || !ports) return {};
  const int per_cage = *ports / cages(switch_model);
  const int free = (cages(switch_model) - *occupied) * per_cage;
  return Share{.used = *ports - free, .free = free};
}

std::vector<TierPorts> count_ports(const Cluster& cluster) {
  std::array<SwitchPorts, 3> fullest;
  std::array<std::size_t, 3> switches{};
  for (std::size_t i = 0; i < cluster.device_count(); ++i) {
    const int own = tier(cluster.device(DeviceId(i)).kind);
    if (own == 0) continue;
    const auto at = static_cast<std::size_t>(own - 1);
    ++switches[at];
    SwitchPorts ports = ports_of(cluster, DeviceId(i));
    if (ports.count() > fullest[at].count()) fullest[at] = std::move(ports);
  }
  std::vector<TierPorts> tiers;
  for (std::size_t at = 0; at < fullest.size(); ++at) {
    if (switches[at] == 0) continue;
    TierPorts tier = describe(fullest[at]);
    tier.tier = static_cast<DeviceKind>(static_cast<std::size_t>(DeviceKind::leaf) + at);
    tier.switches = switches[at];
    tier.model = cluster.spec().fabric.models[at];
    tiers.push_back(std::move(tier));
  }
  return tiers;
}

std::vector<PortFinding> check_ports(const Cluster& cluster) { return PortCheck(cluster).run(); }

}  // namespace railyard::topology
