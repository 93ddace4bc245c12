#pragma once

#include <cstdint>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/cluster/live_links.hpp"
#include "topology/fabric/fabric_index.hpp"
#include "topology/routing/distance_tables.hpp"

namespace railyard::topology {

/// The cables with which a shortest path can continue from a switch. `viable` takes failures into
/// account. `healthy` is the same without failures; policies use it to move only the flows whose
/// link has failed.
struct NextHops {
  Cables viable;
  Cables healthy;
};

/// Shortest paths through the fabric, one switch at a time.
///
/// In regular Clos fabrics (see FabricIndex) a path to a leaf follows from the structure: it goes
/// down if the switch and the leaf have a common class of spines, and up otherwise. This takes
/// O(log ports) per hop and no memory per destination. If the class of either switch has a failed
/// cable, each candidate cable is also checked for a live path behind it. Other fabrics, and paths
/// to spines and cores, use DistanceTables.
class FabricPaths {
 public:
  static constexpr int kNoPath = -1;

  /// The cluster must outlive it.
  FabricPaths(const Cluster& cluster, const Faults& faults);
  FabricPaths(const FabricPaths&) = delete;
  FabricPaths& operator=(const FabricPaths&) = delete;

  [[nodiscard]] const FabricIndex& index() const { return index_; }
  [[nodiscard]] bool is_live(LinkId link) const { return live_.is_live(link); }
  /// The number of links between switches on a shortest path; kNoPath if there is no path.
  [[nodiscard]] int distance(SwitchId from, SwitchId to);
  /// The cables with which a shortest path from `at` to `to` can continue; empty if there is no
  /// path. Requires at != to. The result is valid until the next call.
  [[nodiscard]] NextHops next(SwitchId at, SwitchId to);

 private:
  void mark_dirty(const Cluster& cluster, const Faults& faults);
  [[nodiscard]] bool is_dirty(SwitchId id) const;
  [[nodiscard]] Cables by_structure(SwitchId at, SwitchId leaf) const;
  [[nodiscard]] NextHops around_faults(SwitchId at, SwitchId leaf);
  [[nodiscard]] bool descends_to(SwitchId at, SwitchId leaf) const;
  [[nodiscard]] bool climbs_to(SwitchId spine, SwitchId leaf) const;
  template <class Keep>
  bool keep_live(Cables cables, Keep&& keep);

  FabricIndex index_;
  LiveLinks live_;
  bool is_structural_ = false;
  std::vector<bool> dirty_;  ///< by class: whether a fabric cable of its switches has failed; empty
                             ///< without failures
  DistanceTables tables_;
  std::vector<FabricCable> kept_;
};

}  // namespace railyard::topology
