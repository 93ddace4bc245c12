#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "topology/cluster/live_links.hpp"
#include "topology/fabric/fabric_index.hpp"

namespace railyard::topology {

/// Distances from every switch to a target switch, in links. A breadth-first search computes the
/// table of a target at its first request; the table is then cached. In layered generated fabrics
/// paths are up*/down*: they climb, then descend, and never climb again. In other fabrics all paths
/// count.
class DistanceTables {
 public:
  static constexpr std::uint16_t kFar = 0xffff;

  /// All three referenced objects must outlive this one.
  DistanceTables(const Cluster& cluster, const FabricIndex& index, const LiveLinks& live,
                 bool up_down_only);

  /// The number of links on a shortest path; kFar if there is no path.
  [[nodiscard]] std::uint16_t distance(SwitchId from, SwitchId to);
  /// Appends to `onward` the live cables at `at` with which a shortest path to `to` can begin.
  void next(SwitchId at, SwitchId to, std::vector<FabricCable>& onward);

 private:
  struct Table {
    std::vector<std::uint16_t> down;  ///< along paths that only descend; used with up_down_only_
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
