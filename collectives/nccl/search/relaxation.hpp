#pragma once

#include "collectives/nccl/search/channel_search.hpp"

namespace railyard::collectives::nccl {

/// The range of limits that the first pass of a search tries, from strict to loose.
struct SearchLimits {
  PathType min_intra = PathType::loc, max_intra = PathType::sys;
  PathType min_inter = PathType::pix, max_inter = PathType::sys;
  int cross_nic = 0;  ///< NCCL_CROSS_NIC, if the pattern and the NICs allow it
  bool inter = false;
  bool try_same_channels = true;
  bool simpler_tree = false;        ///< a plain tree may replace the balanced one
  bool keep_same_over_sys = false;  ///< AMD: channels over CPU sockets keep the same order of GPUs
  bool two_nvlink_islands = false;
  float max_bandwidth = 0;    ///< GB/s, best single path ("maxBw")
  float total_bandwidth = 0;  ///< GB/s ("totalBw")

  [[nodiscard]] int first_cross_nic() const { return cross_nic == 1 ? 1 : 0; }
};

/// maxBw and totalBw of a node (NCCL 2.30.7, src/graph/search.cc, ncclTopoSearchInit).
struct BandwidthBounds {
  float best_path = 0;
  float of_gpu = 0;
};
[[nodiscard]] BandwidthBounds bandwidth_bounds(const System& system, const Paths& paths, bool inter,
                                               Version version);

[[nodiscard]] SearchLimits search_limits(const NodeResources& resources,
                                         const SearchEnvironment& environment,
                                         GraphPattern pattern);

/// Whether the trial requires the same order of GPUs in all channels and may drop this requirement.
[[nodiscard]] bool may_vary_channels(const Candidate& trial, const SearchLimits& limits);

/// Sets the next limits for the same bandwidth, in NCCL's order: a simpler tree, worse paths
/// between GPUs, worse paths to NICs, NICs in pairs (crossNic 2). Path types that are not better
/// than those of the best graph are skipped. Returns false, and sets the strictest limits again, if
/// all were tried.
[[nodiscard]] bool relax(Candidate& trial, const Candidate& best, const SearchLimits& limits);

}  // namespace railyard::collectives::nccl
