#pragma once

#include <vector>

#include "collectives/nccl/graph/path_table.hpp"
#include "collectives/nccl/tuning/environment.hpp"

namespace railyard::collectives::nccl {

/// Computes the paths of a node. During the computation a path is a linked list of cells whose tail
/// is shared with other paths, so that joining two paths is cheap.
class PathFinder {
 public:
  PathFinder(const System& system, const SearchEnvironment& environment)
      : system_(system), environment_(environment), paths_(system.vertices.size()) {}

  /// Finds the paths from all vertices to `base`, by breadth-first search.
  void find_paths_to(int base);
  /// For 2.28, which does not distinguish ranks from devices: copies the paths between devices to
  /// the ranks on these devices.
  void take_ranks_for_devices();
  /// Replaces the path between two vertices by the path through `via` (a CPU or a GPU).
  void route_through(int via, int from, int to);

  [[nodiscard]] Path& between(int from, int to) { return paths_.paths_[paths_.slot(from, to)]; }
  [[nodiscard]] const Paths& current() const { return paths_; }
  /// Writes the links of all paths and returns the table.
  [[nodiscard]] Paths finish() &&;

 private:
  struct Cell {
    int link;
    int next;
  };
  void widen(int base, int vertex, std::vector<int>& next);
  void widen_by_bandwidth(int base, int vertex, std::vector<int>& next);
  [[nodiscard]] bool may_pass(int base, int vertex, const SystemLink& link, int hops) const;
  [[nodiscard]] PathType type_over(int base, int vertex, const SystemLink& link,
                                   const Path& path) const;
  [[nodiscard]] bool crosses_intel_root(int from, const Path& path,
                                        std::span<const int> links) const;

  const System& system_;
  const SearchEnvironment& environment_;
  Paths paths_;
  std::vector<Cell> cells_;
};

/// The type of two joined paths: P2C for C2C and PHB, otherwise the worse type.
[[nodiscard]] PathType joined_type(PathType a, PathType b);

}  // namespace railyard::collectives::nccl
