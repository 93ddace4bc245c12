#pragma once

#include <optional>
#include <span>
#include <vector>

#include "collectives/nccl/graph/paths.hpp"

namespace railyard::collectives::nccl {

/// The NIC ports that the search tries, in NCCL's order (2.30.7, src/graph/search.cc,
/// ncclTopoSelectNets): first the ports that are assigned to the GPUs, then all ports that a GPU
/// reaches by a path of at most a given type.
class NetChoices {
 public:
  NetChoices(const System& system, const Paths& paths, const SearchEnvironment& environment);

  /// The ports for a channel that leaves from `gpu`, or (gpu < 0) for the start of a channel.
  [[nodiscard]] const std::vector<int>& within(PathType farthest, int gpu);
  /// Like within(), but only the ports that are assigned to GPUs.
  [[nodiscard]] const std::vector<int>& given(int gpu);
  /// The GPU to which a port is assigned; -1: none.
  [[nodiscard]] int local_gpu(int net) const { return local_gpus_[static_cast<std::size_t>(net)]; }
  /// The GPUs that are nearest to a port.
  [[nodiscard]] const std::vector<int>& near_gpus(int net) const {
    return near_gpus_[static_cast<std::size_t>(net)];
  }
  /// All ports that share the bandwidth of this port, including itself.
  [[nodiscard]] const std::vector<int>& sharers(int net) const {
    return sharers_[static_cast<std::size_t>(net)];
  }

 private:
  [[nodiscard]] const std::vector<int>& kept(int farthest, int gpu);
  [[nodiscard]] std::vector<int> list(int farthest, int gpu) const;
  void add_given_channel_first(int gpu, std::vector<int>& nets) const;
  void add_given_gpu_first(int gpu, std::vector<int>& nets) const;

  const System& system_;
  const Paths& paths_;
  const SearchEnvironment& environment_;
  std::vector<std::vector<int>> given_;  ///< by GPU
  std::vector<int> local_gpus_;
  std::vector<std::vector<int>> near_gpus_, sharers_;
  /// Cache, by path type (first entry: only assigned ports) and GPU (first entry: any).
  std::vector<std::optional<std::vector<int>>> lists_;
};

}  // namespace railyard::collectives::nccl
