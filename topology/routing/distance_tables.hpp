#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "topology/cluster/live_links.hpp"
#include "topology/fabric/fabric_index.hpp"

namespace railyard::topology {

/// Distances of all switches to a switch, by breadth-first search at the first request, then
/// cached. In layered generated fabrics: only over up*/down* paths (without valleys, which their
/// routing forbids); in others: over all paths.
class DistanceTables {
 public:
  static constexpr std::uint16_t kFar = 0xffff;

  /// All three arguments must outlive it.
  DistanceTables(const Cluster& cluster, const FabricIndex& index, const LiveLinks& live,
                 bool up_down_only);

  /// Number of links of a shortest path; kFar if there is none.
  [[nodiscard]] std::uint16_t distance(SwitchId from, SwitchId to);
  /// Appends the cables of shortest paths from `at` to `to`.
  void next(SwitchId at, SwitchId to, std::vector<FabricCable>& onward);

 private:
  struct Table {
    std::vector<std::uint16_t> down;  ///< only downwards; fabrics with up*/down* routing
    std::vector<std::uint16_t> any;
  };
  [[nodiscard]] const Table& table(SwitchId to);
  [[nodiscard]] std::vector<std::uint16_t> search(SwitchId to) const;
  void add_climbs(Table& table) const;

  const Cluster* cluster_;
  const FabricIndex* index_;
  const LiveLinks* live_;
  bool up_down_only_;
  std::vector<std::unique_ptr<Table>> tables_;  ///< by target
};

}  // namespace railyard::topology
