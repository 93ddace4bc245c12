#include "topology/fabric/fabric_index.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/disjoint_sets.hpp"

namespace railyard::topology {
namespace {

constexpr std::uint32_t kNoSwitch = ~std::uint32_t{0};

}  // namespace

FabricIndex::FabricIndex(const Cluster& cluster) {
  number_switches(cluster);
  collect_cables(cluster);
  collect_ports(cluster);
  find_components();
  is_layered_ = check_layered();
  find_classes();
  order_by_class();
  find_places();
  is_regular_ = is_layered_ && check_regular();
  number_leaves();
}

SwitchId FabricIndex::find(DeviceId device) const {
  // Wraps around for devices before the first switch.
  const std::uint32_t place = device.value() - first_device_;
  if (place >= switch_of_device_.size()) return SwitchId::none();
  return SwitchId(switch_of_device_[place]);
}

Cables FabricIndex::ups(SwitchId id) const {
  const Row& at = row(id);
  return Cables(cables_).subspan(at.first, at.first_down - at.first);
}

Cables FabricIndex::downs(SwitchId id) const {
  const Row& at = row(id);
  return Cables(cables_).subspan(at.first_down, at.end - at.first_down);
}

// The cables with key `wanted`, from cables sorted by key. If every key has equally many cables,
// their position is computed; otherwise binary search finds it.
template <class Key>
Cables FabricIndex::matching(Cables cables, Place guess, std::uint32_t wanted, Key key) {
  const std::size_t each = cables.size() / guess.count;
  const std::size_t first = each * guess.number, last = first + each;
  if (each > 0 && key(cables[first]) == wanted && key(cables[last - 1]) == wanted &&
      (first == 0 || key(cables[first - 1]) != wanted) &&
      (last == cables.size() || key(cables[last]) != wanted)) {
    return cables.subspan(first, each);
  }
  // equal_range is avoided because Clang 14 cannot compile the subrange that it returns.
  const auto first_of = std::ranges::lower_bound(cables, wanted, {}, key);
  return {first_of, std::ranges::upper_bound(first_of, cables.end(), wanted, {}, key)};
}

Cables FabricIndex::downs_to(SwitchId id, SwitchId peer) const {
  return matching(downs(id), row(peer).in_class, peer.value(),
                  [](const FabricCable& cable) { return cable.peer.value(); });
}

Cables FabricIndex::downs_to_class(SwitchId id, std::uint32_t leaf_class) const {
  return matching(downs(id), class_places_[leaf_class], leaf_class,
                  [this](const FabricCable& cable) { return class_of(cable.peer); });
}

std::span<const NicPort> FabricIndex::ports(NodeId node, int nic) const {
  const std::size_t at = first_nic_[node.index()] + static_cast<std::size_t>(nic);
  if (ports_per_nic_ > 0) return std::span(ports_).subspan(at * ports_per_nic_, ports_per_nic_);
  return std::span(ports_).subspan(first_port_[at], first_port_[at + 1] - first_port_[at]);
}

void FabricIndex::number_switches(const Cluster& cluster) {
  const auto all = cluster.devices();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_fabric_switch(all[i].kind)) continue;
    rows_.push_back({.device = DeviceId(i), .tier = topology::tier(all[i].kind), .in_class = {}});
  }
  if (rows_.empty()) return;
  first_device_ = rows_.front().device.value();
  switch_of_device_.assign(rows_.back().device.value() - first_device_ + 1, kNoSwitch);
  for (std::size_t s = 0; s < size(); ++s) {
    switch_of_device_[rows_[s].device.value() - first_device_] = static_cast<std::uint32_t>(s);
  }
}

void FabricIndex::collect_cables(const Cluster& cluster) {
  for (Row& at : rows_) {
    at.first = static_cast<std::uint32_t>(cables_.size());
    for (const bool up : {true, false}) {
      if (!up) at.first_down = static_cast<std::uint32_t>(cables_.size());
      for (const LinkId link : cluster.out_links(at.device)) {
        const SwitchId peer = find(cluster.link(link).to);
        if (peer.is_none() || (tier(peer) > at.tier) != up) continue;
        cables_.push_back({link, peer});
      }
    }
    at.end = static_cast<std::uint32_t>(cables_.size());
  }
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
  const std::size_t nics = first_port_.size() - 1;
  if (nics == 0) return;
  const std::uint32_t each = first_port_[1];
  for (std::size_t i = 0; i < nics; ++i) {
    if (first_port_[i + 1] - first_port_[i] != each) return;
  }
  ports_per_nic_ = each;
}

void FabricIndex::find_components() {
  core::DisjointSets sets(size());
  for (std::size_t s = 0; s < size(); ++s) {
    for (std::size_t c = rows_[s].first; c < rows_[s].end; ++c)
      sets.join(static_cast<std::uint32_t>(s), cables_[c].peer.value());
  }
  for (std::size_t s = 0; s < size(); ++s)
    rows_[s].component = sets.find(static_cast<std::uint32_t>(s));
}

bool FabricIndex::check_layered() const {
  for (const Row& at : rows_) {
    for (std::size_t c = at.first; c < at.end; ++c) {
      const int step = tier(cables_[c].peer) - at.tier;
      if (step != 1 && step != -1) return false;
    }
  }
  return std::ranges::all_of(ports_, [&](const NicPort& port) { return tier(port.leaf) == 1; });
}

// Leaves with the same set of spines form a class. A spine belongs to the class of the leaves below
// it, if they are all of one class.
void FabricIndex::find_classes() {
  std::map<std::vector<SwitchId>, std::uint32_t> by_spines;
  for (std::size_t s = 0; s < size(); ++s) {
    if (rows_[s].tier != 1) continue;
    const Cables up = ups(SwitchId(s));
    std::vector<SwitchId> spines;
    for (const FabricCable& cable : up) {
      if (spines.empty() || spines.back() != cable.peer) spines.push_back(cable.peer);
    }
    if (spines.empty()) {
      rows_[s].switch_class = static_cast<std::uint32_t>(class_count_++);
      continue;
    }
    const auto [found, added] =
        by_spines.try_emplace(std::move(spines), static_cast<std::uint32_t>(class_count_));
    if (added) ++class_count_;
    rows_[s].switch_class = found->second;
  }
  for (std::size_t s = 0; s < size(); ++s) {
    if (rows_[s].tier != 2) continue;
    const Cables down = downs(SwitchId(s));
    const auto alike = [&](const FabricCable& cable) {
      return class_of(cable.peer) == class_of(down.front().peer);
    };
    if (!down.empty() && std::ranges::all_of(down, alike)) {
      rows_[s].switch_class = class_of(down.front().peer);
    }
  }
}

void FabricIndex::order_by_class() {
  for (const Row& at : rows_) {
    if (at.tier != 3) continue;
    const auto downs = std::span(cables_).subspan(at.first_down, at.end - at.first_down);
    std::ranges::stable_sort(downs, {},
                             [&](const FabricCable& cable) { return class_of(cable.peer); });
  }
}

std::size_t FabricIndex::count_down_classes(SwitchId core) const {
  const Cables down = downs(core);
  std::size_t count = 0;
  for (std::size_t i = 0; i < down.size(); ++i) {
    if (i == 0 || class_of(down[i].peer) != class_of(down[i - 1].peer)) ++count;
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
    const Row& at = rows_[s];
    if (at.tier == 1 && !seen[at.switch_class]) {
      seen[at.switch_class] = true;
      ++classes_in[at.component];
    }
    if (at.tier != 2) continue;
    if (at.switch_class == kNoClass) return false;
    int& expected = has_cores[at.switch_class];
    const int cores = ups(id).empty() ? 0 : 1;
    if (expected >= 0 && expected != cores) return false;
    expected = cores;
  }
  for (std::size_t s = 0; s < size(); ++s) {
    const std::size_t classes = classes_in[rows_[s].component];
    if (rows_[s].tier == 3 && (classes == 0 || count_down_classes(SwitchId(s)) != classes)) {
      return false;
    }
  }
  return true;
}

void FabricIndex::find_places() {
  std::vector<std::uint32_t> leaves(class_count_, 0), classes(size(), 0);
  std::vector<std::uint32_t> component(class_count_, 0);
  class_places_.resize(class_count_);
  for (Row& at : rows_) {
    if (at.tier != 1) continue;
    const std::uint32_t c = at.switch_class;
    if (leaves[c] == 0) {
      component[c] = at.component;
      class_places_[c].number = classes[at.component]++;
    }
    at.in_class.number = leaves[c]++;
  }
  for (Row& at : rows_) {
    if (at.tier == 1) at.in_class.count = leaves[at.switch_class];
  }
  for (std::size_t c = 0; c < class_count_; ++c) class_places_[c].count = classes[component[c]];
}

void FabricIndex::number_leaves() {
  std::uint32_t widest = 1;
  for (const NicPort& port : ports_) widest = std::max(widest, port.position + 1);
  std::vector<std::uint32_t> counted(size(), 0);  // by component
  for (Row& at : rows_) {
    if (at.tier == 1) at.first_ordinal = counted[at.component]++ * widest;
  }
}

}  // namespace railyard::topology
