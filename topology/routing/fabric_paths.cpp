#include "topology/routing/fabric_paths.hpp"

#include <algorithm>

namespace railyard::topology {

FabricPaths::FabricPaths(const Cluster& cluster, const Faults& faults)
    : index_(cluster),
      live_(cluster, faults),
      tables_(cluster, index_, live_,
              index_.is_layered() && cluster.spec().fabric.kind != FabricKind::explicit_list) {
  mark_dirty(cluster, faults);
  const bool is_generated = cluster.spec().fabric.kind != FabricKind::explicit_list;
  is_structural_ = index_.is_regular() && (is_generated || dirty_.empty());
}

void FabricPaths::mark_dirty(const Cluster& cluster, const Faults& faults) {
  for (const LinkId link : faults.failed) {
    if (cluster.link(link).kind != LinkKind::fabric) continue;
    if (dirty_.empty()) dirty_.assign(index_.class_count(), false);
    for (const DeviceId end : {cluster.link(link).from, cluster.link(link).to}) {
      const std::uint32_t found = index_.class_of(index_.find(end));
      if (found != FabricIndex::kNoClass) dirty_[found] = true;
    }
  }
}

int FabricPaths::distance(SwitchId from, SwitchId to) {
  if (from == to) return 0;
  if (!is_structural_ || index_.tier(to) != 1) {
    const std::uint16_t found = tables_.distance(from, to);
    return found == DistanceTables::kFar ? kNoPath : found;
  }
  if (index_.component_of(from) != index_.component_of(to)) return kNoPath;
  if (dirty_.empty() && index_.tier(from) == 1) {
    return index_.class_of(from) == index_.class_of(to) ? 2 : 4;
  }
  int length = 0;
  for (SwitchId at = from; at != to; ++length) {
    const Cables cables = next(at, to).viable;
    if (cables.empty()) return kNoPath;
    at = cables.front().peer;
  }
  return length;
}

NextHops FabricPaths::next(SwitchId at, SwitchId to) {
  if (is_structural_ && index_.tier(to) == 1) {
    if (is_dirty(at) || is_dirty(to)) return around_faults(at, to);
    const Cables cables = by_structure(at, to);
    return {cables, cables};
  }
  kept_.clear();
  tables_.next(at, to, kept_);
  return {kept_, kept_};
}

bool FabricPaths::is_dirty(SwitchId id) const {
  if (dirty_.empty()) return false;
  const std::uint32_t found = index_.class_of(id);
  return found != FabricIndex::kNoClass && dirty_[found];
}

Cables FabricPaths::by_structure(SwitchId at, SwitchId leaf) const {
  if (index_.component_of(at) != index_.component_of(leaf)) return {};
  switch (index_.tier(at)) {
    case 1: return index_.ups(at);
    case 2:
      return index_.class_of(at) == index_.class_of(leaf) ? index_.downs_to(at, leaf)
                                                          : index_.ups(at);
    default: return index_.downs_to_class(at, index_.class_of(leaf));
  }
}

// Whether live cables lead down from `at` to the leaf.
bool FabricPaths::descends_to(SwitchId at, SwitchId leaf) const {
  if (at == leaf) return true;
  if (index_.tier(at) == 1) return false;
  const Cables below = index_.tier(at) == 2 ? index_.downs_to(at, leaf)
                                            : index_.downs_to_class(at, index_.class_of(leaf));
  return std::ranges::any_of(below, [&](const FabricCable& cable) {
    return live_.is_live(cable.link) && descends_to(cable.peer, leaf);
  });
}

// Whether a live cable leads from the spine up to a core from which live cables lead down to the
// leaf.
bool FabricPaths::climbs_to(SwitchId spine, SwitchId leaf) const {
  return std::ranges::any_of(index_.ups(spine), [&](const FabricCable& cable) {
    return live_.is_live(cable.link) && descends_to(cable.peer, leaf);
  });
}

template <class Keep>
bool FabricPaths::keep_live(Cables cables, Keep&& keep) {
  kept_.clear();
  for (const FabricCable& cable : cables) {
    if (live_.is_live(cable.link) && keep(cable.peer)) kept_.push_back(cable);
  }
  return !kept_.empty();
}

NextHops FabricPaths::around_faults(SwitchId at, SwitchId leaf) {
  const Cables healthy = by_structure(at, leaf);
  const auto descends = [&](SwitchId peer) { return descends_to(peer, leaf); };
  const auto climbs = [&](SwitchId peer) { return climbs_to(peer, leaf); };
  bool found = keep_live(healthy, descends);
  if (!found && index_.tier(at) == 1) found = keep_live(index_.ups(at), climbs);
  if (!found && index_.tier(at) == 2) found = keep_live(index_.ups(at), descends);
  if (!found) return {{}, healthy};
  return {kept_, healthy};
}

}  // namespace railyard::topology
