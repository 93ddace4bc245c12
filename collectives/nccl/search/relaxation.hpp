#pragma once

#include "collectives/nccl/search/channel_search.hpp"

namespace railyard::collectives::nccl {

/// The range in which the first pass of a search varies its limits.
struct SearchLimits {
  PathType min_intra = PathType::loc, max_intra = PathType::sys;
  PathType min_inter = PathType::pix, max_inter = PathType::sys;
  int cross_nic = 0;  ///< NCCL_CROSS_NIC, if the pattern and the NICs allow it
  bool inter = false;
  bool try_same_channels = true;
  bool simpler_tree = false;        ///< a plain tree may replace the balanced one
  bool keep_same_over_sys = false;  ///< AMD: channels over its CPUs stay alike
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

/// True if the trial required equal channels and may now have different ones.
[[nodiscard]] bool may_vary_channels(const Candidate& trial, const SearchLimits& limits);

/// The next set of limits at one speed, in NCCL's order: a simpler tree, farther GPU pairs, farther
/// NICs, NICs in pairs (crossNic 2). Returns false, with the trial at the strictest limits again,
/// if all were tried. Types that are not better than those of the best graph are skipped.
[[nodiscard]] bool relax(Candidate& trial, const Candidate& best, const SearchLimits& limits);

}  // namespace railyard::collectives::nccl
