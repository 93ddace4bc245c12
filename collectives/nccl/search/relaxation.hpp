#pragma once

#include "collectives/nccl/search/channel_search.hpp"

namespace railyard::collectives::nccl {

/// Between what the first pass of a search may vary its limits.
struct SearchLimits {
  PathType min_intra = PathType::loc, max_intra = PathType::sys;
  PathType min_inter = PathType::pix, max_inter = PathType::sys;
  int cross_nic = 0;  ///< NCCL_CROSS_NIC where the pattern and the NICs allow it
  bool inter = false;
  bool try_same_channels = true;
  bool simpler_tree = false;        ///< a plain tree may replace the balanced one
  bool keep_same_over_sys = false;  ///< AMD: over its CPUs channels stay alike
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

[[nodiscard]] SearchLimits search_limits(const SearchGround& ground,
                                         const SearchEnvironment& environment,
                                         GraphPattern pattern);

/// True where the trial asked for equal channels and may now have different ones.
[[nodiscard]] bool may_vary_channels(const Candidate& trial, const SearchLimits& limits);

/// The next set of limits at one speed, in NCCL's order: a simpler tree, farther GPU pairs, farther
/// NICs, NICs in pairs (crossNic 2). False, and the trial back at the strictest, where all were
/// tried; types that are no better than those of the best graph are left out.
[[nodiscard]] bool relax(Candidate& trial, const Candidate& best, const SearchLimits& limits);

}  // namespace railyard::collectives::nccl
