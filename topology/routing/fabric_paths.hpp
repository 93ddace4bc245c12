#pragma once

#include <cstdint>
#include <vector>

#include "topology/cluster/cluster.hpp"
#include "topology/cluster/live_links.hpp"
#include "topology/fabric/fabric_index.hpp"
#include "topology/routing/distance_tables.hpp"

namespace railyard::topology {

/// The cables by which a shortest path continues. `healthy` is the choice of the fabric without
/// failures (for policies that move only the flows of failed links).
struct NextHops {
  Cables viable;
  Cables healthy;
};

/// Shortest paths through the fabric, switch by switch. Regular Clos fabrics (see FabricIndex):
/// up*/down*, from structure: down below a common class of spines, otherwise up; O(log ports) per
/// hop, without memory per destination. Next to failed links each candidate is checked for a live
/// continuation. Other fabrics, and paths to spines and cores: DistanceTables.
class FabricPaths {
 public:
  static constexpr int kNoPath = -1;

  /// The cluster must outlive it.
  FabricPaths(const Cluster& cluster, const Faults& faults);
  FabricPaths(const FabricPaths&) = delete;
  FabricPaths& operator=(const FabricPaths&) = delete;

  [[nodiscard]] const FabricIndex& index() const { return index_; }
  [[nodiscard]] bool is_live(LinkId link) const { return live_.is_live(link); }
  /// Switch-to-switch links of a shortest path; kNoPath if there is none.
  [[nodiscard]] int distance(SwitchId from, SwitchId to);
  /// Requires at != to. Empty if there is no path. Valid until the next call.
  [[nodiscard]] NextHops next(SwitchId at, SwitchId to);

 private:
  void mark_dirty(const Cluster& cluster, const Faults& faults);
  [[nodiscard]] bool is_dirty(SwitchId id) const;
  [[nodiscard]] Cables by_structure(SwitchId at, SwitchId leaf) const;
  [[nodiscard]] NextHops around_faults(SwitchId at, SwitchId leaf);
  [[nodiscard]] bool sees(SwitchId at, SwitchId leaf) const;
  [[nodiscard]] bool rises(SwitchId spine, SwitchId leaf) const;
  template <class Keep>
  bool keep_live(Cables cables, Keep&& keep);

  FabricIndex index_;
  LiveLinks live_;
  bool is_structural_ = false;
  std::vector<bool> dirty_;  ///< by class: a cable of its leaves or spines has failed
  DistanceTables tables_;
  std::vector<FabricCable> kept_;
};

}  // namespace railyard::topology
