#pragma once

#include <array>
#include <cstddef>

#include "collectives/nccl/graph/graph.hpp"
#include "collectives/nccl/tuning/tuning_names.hpp"

namespace railyard::collectives::nccl {

/// The numbers that one release of NCCL estimates with. They are NCCL's opinion of the world, not
/// measurements of a machine, and its choices depend on them as they are. Times in us, bandwidths
/// in GB/s (1e9 B/s).
struct TuningConstants {
  /// Rows: V100 and older, A100 (compute capability from 80), H100 (90), B200 (100).
  /// Columns: one node, two nodes, more.
  using PerGeneration = std::array<std::array<double, 3>, 4>;

  PerAlgorithm<PerProtocol<double>> base_latency{};
  /// Of a hop over NVLink, PCIe and the network.
  std::array<PerAlgorithm<PerProtocol<double>>, 3> hop_latency{};
  /// Of LL, all channels together; on several nodes the row is that of the CPU.
  PerGeneration ll_bandwidth{};
  PerGeneration ring_ll128_per_channel{};
  PerGeneration tree_ll128_per_channel{};
  PerGeneration tree_per_channel{};
  PerGeneration nvls_tree_per_channel{};
  std::array<float, 4> nvls_efficiency{};  ///< by generation
  /// What trees reach at sizes of 64 B times a power of two.
  PerProtocol<std::array<float, 24>> tree_correction{};
  bool nvls_tree_is_corrected = false;  ///< the same on NVLSTree of B200 with an x86 host
  bool ll128_needs_equal_gpus = false;  ///< even from compute capability 90 on
};

/// Of NCCL 2.28.9 or 2.30.7.
[[nodiscard]] const TuningConstants& tuning_constants(Version version);

}  // namespace railyard::collectives::nccl
