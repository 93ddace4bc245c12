#pragma once

#include <vector>

#include "collectives/nccl/graph/path_table.hpp"
#include "collectives/nccl/tuning/environment.hpp"

namespace railyard::collectives::nccl {

/// Paths while they are being made. A path is a chain of cells that shares its tail with others, so
/// that joining two of them is cheap.
class PathFinder {
 public:
  PathFinder(const System& system, const SearchEnvironment& environment)
      : system_(system), environment_(environment), paths_(system.vertices.size()) {}

  /// Paths of all vertices to `base`, widening from there.
  void find_paths_to(int base);
  /// 2.28: a GPU is its device, so that paths to and from ranks are those of their devices.
  void take_ranks_for_devices();
  /// Makes the path from..to the one by `via` (a CPU or a GPU).
  void route_through(int via, int from, int to);

  [[nodiscard]] Path& between(int from, int to) { return paths_.paths_[paths_.slot(from, to)]; }
  [[nodiscard]] const Paths& current() const { return paths_; }
  /// Writes the links out.
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

/// The type of a path joined of two: C2C and PHB make P2C, else the worse one.
[[nodiscard]] PathType joined_type(PathType a, PathType b);

}  // namespace railyard::collectives::nccl
