#pragma once

#include <vector>

#include "collectives/nccl/graph/paths.hpp"

namespace railyard::collectives::nccl {

/// What the channels found so far leave of each link (NCCL 2.30.7, src/graph/search.cc,
/// followPath). What is left is rounded to 0.001 GB/s after each use, as there.
class LinkBudget {
 public:
  LinkBudget(const System& system, const Paths& paths);

  /// Takes `bandwidth` (GB/s) from the links of a path, or nothing and returns false where one of
  /// them has too little left. PCIe links of a GPU's PHB path over an Intel CPU give 1.2 times as
  /// much; a GPU before Ampere that a NIC or NVSwitch writes to also gives an eighth of the way
  /// back.
  [[nodiscard]] bool take(int from, int to, float bandwidth);
  /// Undoes a take.
  void give_back(int from, int to, float bandwidth);
  /// GB/s that are left of a link of the system.
  [[nodiscard]] float left(int link) const { return edges_[static_cast<std::size_t>(link)].left; }

 private:
  /// A link as the search sees it.
  struct Edge {
    float left = 0;  ///< GB/s
    int reverse = -1;
    bool pcie = false;
    bool local = false;  ///< inside a device: never the narrowest, and not counted
    bool costs_back =
        false;  ///< writes into this device cost the way back, unless a GPU makes them
  };
  /// What a use of `bandwidth` costs an edge.
  struct Cost {
    float forth = 0, back = 0;
  };
  [[nodiscard]] Cost cost(const Edge& edge, const Path& path, bool from_gpu, float bandwidth) const;
  void spend(const Path& path, bool from_gpu, float bandwidth);

  const System& system_;
  const Paths& paths_;
  std::vector<Edge> edges_;  ///< by link
};

}  // namespace railyard::collectives::nccl
