#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "topology/cluster/live_links.hpp"
#include "topology/fabric/fabric_index.hpp"

namespace railyard::topology {

/// Distances of all switches to a switch, found by breadth-first search when first asked for and
/// kept. Layered generated fabrics: over up*/down* ways only (no valleys, as their routing forbids
/// them); others: over all ways.
class DistanceTables {
 public:
  static constexpr std::uint16_t kFar = 0xffff;

  /// All three must outlive it.
  DistanceTables(const Cluster& cluster, const FabricIndex& index, const LiveLinks& live,
                 bool up_down_only);

  /// Links on a shortest way; kFar if there is none.
  [[nodiscard]] std::uint16_t distance(SwitchId from, SwitchId to);
  /// Appends the cables of shortest ways from `at` to `to`.
  void next(SwitchId at, SwitchId to, std::vector<FabricCable>& onward);

 private:
  struct Table {
    std::vector<std::uint16_t> down;  ///< going down only; up_down_only fabrics
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
