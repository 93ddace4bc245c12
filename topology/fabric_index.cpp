#include "topology/fabric_index.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace railyard::topology {
namespace {

constexpr std::uint32_t kNoSwitch = ~std::uint32_t{0};

std::uint32_t root(std::vector<std::uint32_t>& parent, std::uint32_t x) {
  while (parent[x] != x) {
    parent[x] = parent[parent[x]];
    x = parent[x];
  }
  return x;
}

}  // namespace

FabricIndex::FabricIndex(const Cluster& cluster) {
  number_switches(cluster);
  collect_cables(cluster);
  collect_ports(cluster);
  find_components();
  is_layered_ = check_layered();
  find_classes();
  order_by_class();
  is_regular_ = is_layered_ && check_regular();
  number_leaves();
}

SwitchId FabricIndex::find(DeviceId device) const {
  const std::uint32_t place = device.value() - first_device_;  // wraps for devices before the first
  if (place >= switch_of_device_.size()) return SwitchId::none();
  return SwitchId(switch_of_device_[place]);
}

Cables FabricIndex::ups(SwitchId id) const {
  const std::size_t first = first_cable_[id.index()];
  return {std::span(cables_).subspan(first, first_down_[id.index()] - first), peers_.data() + first};
}

Cables FabricIndex::downs(SwitchId id) const {
  const std::size_t first = first_down_[id.index()];
  return {std::span(cables_).subspan(first, first_cable_[id.index() + 1] - first),
          peers_.data() + first};
}

Cables FabricIndex::downs_to(SwitchId id, SwitchId peer) const {
  const Cables all = downs(id);
  const auto [first, last] = std::equal_range(all.peers, all.peers + all.size(), peer);
  return all.part(static_cast<std::size_t>(first - all.peers),
                  static_cast<std::size_t>(last - first));
}

Cables FabricIndex::downs_to_class(SwitchId id, std::uint32_t leaf_class) const {
  const Cables all = downs(id);
  const auto* const end = all.peers + all.size();
  const auto* const first = std::partition_point(
      all.peers, end, [&](SwitchId peer) { return class_of(peer) < leaf_class; });
  const auto* const last = std::partition_point(
      first, end, [&](SwitchId peer) { return class_of(peer) == leaf_class; });
  return all.part(static_cast<std::size_t>(first - all.peers),
                  static_cast<std::size_t>(last - first));
}

std::span<const NicPort> FabricIndex::ports(NodeId node, int nic) const {
  const std::size_t at = first_nic_[node.index()] + static_cast<std::size_t>(nic);
  return std::span(ports_).subspan(first_port_[at], first_port_[at + 1] - first_port_[at]);
}

void FabricIndex::number_switches(const Cluster& cluster) {
  const auto all = cluster.devices();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_fabric_switch(all[i].kind)) continue;
    devices_.push_back(DeviceId(i));
    tiers_.push_back(static_cast<std::uint8_t>(topology::tier(all[i].kind)));
  }
  if (devices_.empty()) return;
  first_device_ = devices_.front().value();
  switch_of_device_.assign(devices_.back().value() - first_device_ + 1, kNoSwitch);
  for (std::size_t s = 0; s < devices_.size(); ++s) {
    switch_of_device_[devices_[s].value() - first_device_] = static_cast<std::uint32_t>(s);
  }
}

void FabricIndex::collect_cables(const Cluster& cluster) {
  for (std::size_t s = 0; s < size(); ++s) {
    first_cable_.push_back(static_cast<std::uint32_t>(cables_.size()));
    for (const bool up : {true, false}) {
      if (!up) first_down_.push_back(static_cast<std::uint32_t>(cables_.size()));
      for (const LinkId link : cluster.out_links(devices_[s])) {
        const SwitchId peer = find(cluster.link(link).to);
        if (peer.is_none() || (tiers_[peer.index()] > tiers_[s]) != up) continue;
        cables_.push_back(link);
        peers_.push_back(peer);
      }
    }
  }
  first_cable_.push_back(static_cast<std::uint32_t>(cables_.size()));
}

void FabricIndex::collect_ports(const Cluster& cluster) {
  std::vector<std::uint32_t> taken(size(), 0);
  first_port_.push_back(0);
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const NodeId node(n);
    first_nic_.push_back(static_cast<std::uint32_t>(first_port_.size() - 1));
    for (int nic = 0; nic < cluster.shape(node).nic_count(); ++nic) {
      for (const LinkId link : cluster.out_links(cluster.nic(node, nic))) {
        const SwitchId leaf = find(cluster.link(link).to);
        if (leaf.is_none()) continue;
        ports_.push_back({link, cluster.link(link).reverse, leaf, taken[leaf.index()]++});
      }
      first_port_.push_back(static_cast<std::uint32_t>(ports_.size()));
    }
  }
}

void FabricIndex::find_components() {
  std::vector<std::uint32_t> parent(size());
  std::iota(parent.begin(), parent.end(), 0U);
  for (std::size_t s = 0; s < size(); ++s) {
    for (std::size_t c = first_cable_[s]; c < first_cable_[s + 1]; ++c) {
      const std::uint32_t a = root(parent, static_cast<std::uint32_t>(s));
      const std::uint32_t b = root(parent, peers_[c].value());
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  components_.resize(size());
  for (std::size_t s = 0; s < size(); ++s) components_[s] = root(parent, static_cast<std::uint32_t>(s));
}

bool FabricIndex::check_layered() const {
  for (std::size_t s = 0; s < size(); ++s) {
    for (std::size_t c = first_cable_[s]; c < first_cable_[s + 1]; ++c) {
      const int step = tiers_[peers_[c].index()] - tiers_[s];
      if (step != 1 && step != -1) return false;
    }
  }
  return std::ranges::all_of(ports_, [&](const NicPort& port) { return tier(port.leaf) == 1; });
}

// Leaves with the same set of spines are a class; a spine joins the class of the leaves below it.
void FabricIndex::find_classes() {
  classes_.assign(size(), kNoClass);
  std::map<std::vector<SwitchId>, std::uint32_t> by_spines;
  for (std::size_t s = 0; s < size(); ++s) {
    if (tiers_[s] != 1) continue;
    const Cables up = ups(SwitchId(s));
    std::vector<SwitchId> spines(up.peers, up.peers + up.size());
    spines.erase(std::unique(spines.begin(), spines.end()), spines.end());
    if (spines.empty()) {
      classes_[s] = static_cast<std::uint32_t>(class_count_++);
      continue;
    }
    const auto [found, added] =
        by_spines.try_emplace(std::move(spines), static_cast<std::uint32_t>(class_count_));
    if (added) ++class_count_;
    classes_[s] = found->second;
  }
  for (std::size_t s = 0; s < size(); ++s) {
    if (tiers_[s] != 2) continue;
    const Cables down = downs(SwitchId(s));
    const auto alike = [&](SwitchId leaf) { return class_of(leaf) == class_of(down.peers[0]); };
    if (!down.empty() && std::all_of(down.peers, down.peers + down.size(), alike)) {
      classes_[s] = class_of(down.peers[0]);
    }
  }
}

void FabricIndex::order_by_class() {
  std::vector<std::pair<SwitchId, LinkId>> row;
  for (std::size_t s = 0; s < size(); ++s) {
    if (tiers_[s] != 3) continue;
    const std::size_t first = first_down_[s], last = first_cable_[s + 1];
    row.clear();
    for (std::size_t c = first; c < last; ++c) row.emplace_back(peers_[c], cables_[c]);
    std::ranges::stable_sort(row, {}, [&](const auto& cable) { return class_of(cable.first); });
    for (std::size_t c = first; c < last; ++c) std::tie(peers_[c], cables_[c]) = row[c - first];
  }
}

std::size_t FabricIndex::count_down_classes(SwitchId core) const {
  const Cables down = downs(core);
  std::size_t count = 0;
  for (std::size_t i = 0; i < down.size(); ++i) {
    if (i == 0 || class_of(down.peers[i]) != class_of(down.peers[i - 1])) ++count;
  }
  return count;
}

// Requires is_layered_.
bool FabricIndex::check_regular() const {
  std::vector<std::size_t> classes_in(size(), 0);  // by component
  std::vector<bool> seen(class_count_, false);
  std::vector<int> has_cores(class_count_, -1);
  for (std::size_t s = 0; s < size(); ++s) {
    const SwitchId id(s);
    if (tiers_[s] == 1 && !seen[classes_[s]]) {
      seen[classes_[s]] = true;
      ++classes_in[components_[s]];
    }
    if (tiers_[s] != 2) continue;
    if (classes_[s] == kNoClass) return false;
    int& expected = has_cores[classes_[s]];
    const int cores = ups(id).empty() ? 0 : 1;
    if (expected >= 0 && expected != cores) return false;
    expected = cores;
  }
  for (std::size_t s = 0; s < size(); ++s) {
    if (tiers_[s] == 3 && count_down_classes(SwitchId(s)) != classes_in[components_[s]]) return false;
    if (tiers_[s] == 3 && classes_in[components_[s]] == 0) return false;
  }
  return true;
}

void FabricIndex::number_leaves() {
  std::uint32_t widest = 1;
  for (const NicPort& port : ports_) widest = std::max(widest, port.position + 1);
  std::vector<std::uint32_t> counted(size(), 0);  // by component
  leaf_base_.assign(size(), 0);
  for (std::size_t s = 0; s < size(); ++s) {
    if (tiers_[s] == 1) leaf_base_[s] = counted[components_[s]]++ * widest;
  }
}

}  // namespace railyard::topology
