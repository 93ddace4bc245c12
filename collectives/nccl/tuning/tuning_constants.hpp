#pragma once

#include <array>
#include <cstddef>

#include "collectives/nccl/graph/graph.hpp"
#include "collectives/nccl/tuning/tuning_names.hpp"

namespace railyard::collectives::nccl {

/// The constants of NCCL's tuning model in one release. They are not measured times; their purpose
/// is to reproduce NCCL's choices. Times are in us, bandwidths in GB/s (1e9 B/s).
struct TuningConstants {
  /// Rows: V100 and older, A100 (compute capability from 80), H100 (90), B200 (100).
  /// Columns: one node, two nodes, more.
  using PerGeneration = std::array<std::array<double, 3>, 4>;

  PerAlgorithm<PerProtocol<double>> base_latency{};
  /// Latency of a hop over NVLink, PCIe and the network.
  std::array<PerAlgorithm<PerProtocol<double>>, 3> hop_latency{};
  /// LL, all channels together. On several nodes the row is selected by CPU.
  PerGeneration ll_bandwidth{};
  PerGeneration ring_ll128_per_channel{};
  PerGeneration tree_ll128_per_channel{};
  PerGeneration tree_per_channel{};
  PerGeneration nvls_tree_per_channel{};
  std::array<float, 4> nvls_efficiency{};  ///< by generation
  /// Bandwidth factor of Tree, by size: 64 B times a power of two.
  PerProtocol<std::array<float, 24>> tree_correction{};
  bool nvls_tree_is_corrected = false;  ///< the same factor for NVLSTree on B200 with an x86 host
  bool ll128_needs_equal_gpus = false;  ///< even from compute capability 90 on

  // Rules that differ between releases.
  bool slow_rings_have_fewer_threads = true;  ///< 256 for a ring of at most PCIe x16 Gen3
  bool two_nodes_count_nics = false;  ///< on two nodes Tree, PAT and (from B200 on) Ring use the
                                      ///< NIC bandwidth; otherwise as on one node
  bool others_alone_take_tree_hops = true;  ///< with one rank per node all algorithms use Tree's
                                            ///< network latency
  bool nvlink_rings_have_plateau = false;   ///< Ring Simple on one node, from B200 on
  bool nvls_tree_is_corrected_on_arm = false;
  bool collnet_needs_nvswitch = true;      ///< CollNetDirect
  bool collnet_needs_heads = false;        ///< all-reduce also requires a head for each GPU
  bool pat_on_full_nodes_is_last = false;  ///< PAT on several ranks per node is never preferred,
                                           ///< regardless of NCCL_PAT_ENABLE
  bool last_of_equals_wins = false;
};

/// The constants of NCCL 2.28.9, 2.30.7 or 2.32.6.
[[nodiscard]] const TuningConstants& tuning_constants(Version version);

}  // namespace railyard::collectives::nccl
