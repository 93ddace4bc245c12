#pragma once

#include <vector>

#include "collectives/nccl/graph/paths.hpp"

namespace railyard::collectives::nccl {

/// The bandwidth that remains on each link after the channels found so far (NCCL 2.30.7,
/// src/graph/search.cc, followPath). As in NCCL, it is rounded to 0.001 GB/s after each use.
class LinkBudget {
 public:
  LinkBudget(const System& system, const Paths& paths);

  /// Reserves `bandwidth` (GB/s) on all links of a path. Returns false, without a change, if one of
  /// them has too little left. PCIe links of a GPU's PHB path over an Intel CPU are charged 1.2
  /// times as much. Writes of a NIC or NVSwitch to a GPU before Ampere also charge an eighth to the
  /// reverse link.
  [[nodiscard]] bool take(int from, int to, float bandwidth);
  /// Releases a reservation.
  void give_back(int from, int to, float bandwidth);
  /// The remaining bandwidth of a link in GB/s.
  [[nodiscard]] float left(int link) const { return edges_[static_cast<std::size_t>(link)].left; }

 private:
  /// A link as the search sees it.
  struct Edge {
    float left = 0;  ///< GB/s
    int reverse = -1;
    bool pcie = false;
    bool local = false;       ///< inside a device: unlimited bandwidth
    bool costs_back = false;  ///< writes into this device also use bandwidth of the reverse link,
                              ///< unless they come from a GPU
  };
  /// The bandwidth charged to an edge and to its reverse.
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
