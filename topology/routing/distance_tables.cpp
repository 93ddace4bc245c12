#include "topology/routing/distance_tables.hpp"

#include <algorithm>

namespace railyard::topology {

DistanceTables::DistanceTables(const Cluster& cluster, const FabricIndex& index,
                               const LiveLinks& live, bool up_down_only)
    : cluster_(&cluster), index_(&index), live_(&live), up_down_only_(up_down_only) {}

std::uint16_t DistanceTables::distance(SwitchId from, SwitchId to) {
  return table(to).any[from.index()];
}

void DistanceTables::next(SwitchId at, SwitchId to, std::vector<FabricCable>& onward) {
  const Table& found = table(to);
  const auto add = [&](Cables cables, const std::vector<std::uint16_t>& distances) {
    const std::uint16_t here = distances[at.index()];
    for (const FabricCable& cable : cables) {
      if (!live_->is_live(cable.link) || distances[cable.peer.index()] + 1 != here) continue;
      onward.push_back(cable);
    }
  };
  if (up_down_only_ && found.down[at.index()] != kFar) {
    add(index_->downs(at), found.down);
  } else if (found.any[at.index()] != kFar) {
    add(index_->ups(at), found.any);
    if (!up_down_only_) add(index_->downs(at), found.any);
  }
}

const DistanceTables::Table& DistanceTables::table(SwitchId to) {
  if (tables_.empty()) tables_.resize(index_->size());
  std::unique_ptr<Table>& slot = tables_[to.index()];
  if (slot == nullptr) {
    slot = std::make_unique<Table>();
    slot->any = search(to);
    if (up_down_only_) {
      slot->down = slot->any;
      add_climbs(*slot);
    }
  }
  return *slot;
}

// Breadth-first search from the target against the direction of the links. With up_down_only_ it
// uses only links that lead down, which gives distances along descending paths.
std::vector<std::uint16_t> DistanceTables::search(SwitchId to) const {
  std::vector<std::uint16_t> distances(index_->size(), kFar);
  std::vector<SwitchId> queue{to};
  distances[to.index()] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const SwitchId at = queue[head];
    const auto reach = [&](Cables cables) {
      for (const FabricCable& cable : cables) {
        std::uint16_t& distance = distances[cable.peer.index()];
        if (distance != kFar || !live_->is_live(cluster_->link(cable.link).reverse)) continue;
        distance = static_cast<std::uint16_t>(distances[at.index()] + 1);
        queue.push_back(cable.peer);
      }
    };
    reach(index_->ups(at));
    if (!up_down_only_) reach(index_->downs(at));
  }
  return distances;
}

// Adds the paths that climb first. From the top tier down: any(X) = min(down(X), 1 + min over live
// up links X -> Y of any(Y)).
void DistanceTables::add_climbs(Table& table) const {
  std::vector<SwitchId> order(index_->size());
  for (std::size_t s = 0; s < order.size(); ++s) order[s] = SwitchId(s);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](SwitchId id) { return index_->tier(id); });
  for (const SwitchId at : order) {
    for (const FabricCable& cable : index_->ups(at)) {
      const std::uint16_t above = table.any[cable.peer.index()];
      if (above == kFar || !live_->is_live(cable.link)) continue;
      std::uint16_t& here = table.any[at.index()];
      here = std::min(here, static_cast<std::uint16_t>(above + 1));
    }
  }
}

}  // namespace railyard::topology
