#pragma once

#include <vector>

#include "collectives/nccl/graph/graph.hpp"

namespace railyard::collectives::nccl {

/// A graph during the search, with all properties that the search varies. GPUs and NIC ports are
/// indices into System.
struct Candidate {
  struct Nets {
    int in = -1, out = -1;
  };

  GraphPattern pattern = GraphPattern::ring;
  bool collnet = false;
  int min_channels = 1, max_channels = 1;
  int channels = 0;
  float bandwidth_intra = 0, bandwidth_inter = 0;  ///< GB/s per channel
  float latency_inter = 0;                         ///< us
  PathType type_intra = PathType::loc,
           type_inter = PathType::loc;  ///< worst path types that are allowed
  int cross_nic = 0;
  bool same_channels = false;
  int hops = 0;
  std::size_t gpu_count = 0;
  std::vector<int> gpus;   ///< channel-major
  std::vector<Nets> nets;  ///< by channel

  [[nodiscard]] int& gpu(int channel, int step) {
    return gpus[static_cast<std::size_t>(channel) * gpu_count + static_cast<std::size_t>(step)];
  }
  [[nodiscard]] int gpu(int channel, int step) const {
    return gpus[static_cast<std::size_t>(channel) * gpu_count + static_cast<std::size_t>(step)];
  }
  [[nodiscard]] Nets& net(int channel) { return nets[static_cast<std::size_t>(channel)]; }
  [[nodiscard]] const Nets& net(int channel) const {
    return nets[static_cast<std::size_t>(channel)];
  }
  [[nodiscard]] bool is_tree() const {
    return pattern == GraphPattern::tree || pattern == GraphPattern::balanced_tree ||
           pattern == GraphPattern::split_tree;
  }
};

/// Whether `found` is the better graph (NCCL 2.30.7, ncclTopoCompareGraphs): it has more total
/// bandwidth, or the same and fewer hops. For NVLS: it has more heads, or more bandwidth to the
/// network.
[[nodiscard]] bool is_better(const Candidate& found, const Candidate& than);

}  // namespace railyard::collectives::nccl
