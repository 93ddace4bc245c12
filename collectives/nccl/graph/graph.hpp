#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "collectives/nccl/graph/fused_net.hpp"
#include "topology/node/path_type.hpp"

/// The state of an NCCL communicator on which its choice of an algorithm depends: graphs found by
/// the search, channel counts, and properties of the machine. The search writes it (search.hpp),
/// the tuning model reads it (tuning.hpp). Bandwidths are float GB/s (1e9 B/s) per channel as in
/// NCCL, because its choices depend on their rounding.
namespace railyard::collectives::nccl {

using topology::PathType;

/// Shapes of a graph (NCCL 2.30 src/include/graph.h, NCCL_TOPO_PATTERN_*; the numbers are NCCL's).
enum class GraphPattern {
  balanced_tree = 1,
  split_tree = 2,
  tree = 3,
  ring = 4,
  nvls = 5,
  collnet_direct = 6,
};

/// One channel of a graph, inside one node.
struct GraphChannel {
  std::vector<int> gpus;  ///< in order; ranks within the node, 0 .. gpus per node - 1
  int net_in = -1;   ///< NIC (NCCL's net dev) through which a ring enters the node; -1: single node
  int net_out = -1;  ///< NIC through which it leaves; trees and NVLS use one NIC for both
};

/// One searched graph, as NCCL prints it ("Pattern 4, crossNic 2, nChannels 8, bw 48/48, type
/// NVL/PIX").
struct Graph {
  GraphPattern pattern = GraphPattern::ring;
  int channels = 0;  ///< found by the search; 0: no such graph
  float bandwidth_intra = 0;
  float bandwidth_inter = 0;
  float latency_inter = 0;  ///< us, of the NICs
  PathType type_intra = PathType::loc;
  PathType type_inter = PathType::loc;
  int cross_nic = 0;  ///< 0, or 2: the two channels of a pair swap NICs from node to node
  bool same_channels = false;
  std::vector<GraphChannel> orders;  ///< one per channel
};

/// Graphs by NCCL's ids (the `id` of graph XML).
enum class GraphId { ring = 0, tree = 1, collnet_chain = 2, nvls = 3, collnet_direct = 4 };
inline constexpr std::size_t kGraphIds = 5;

enum class CpuVendor { intel, amd, zhaoxin, arm, other, mixed };

/// Channel counts of a communicator ("16 coll channels, 16 nvls channels, 16 p2p channels, 4 p2p
/// channels per peer").
struct ChannelCounts {
  int search = 0;  ///< of the ring graph
  int collective = 0;
  int nvls = 0;
  int p2p = 0;
  int p2p_wanted = 0;  ///< channels that saturate the slowest pair of peers, before limits
  int p2p_per_peer = 0;
  /// NVLS channels after ncclNvlsTuning, which NCCL 2.30.7 runs on sm_100 with several nodes;
  /// otherwise equal to nvls. The tuning tables are for `nvls`.
  int nvls_retuned = 0;
};

using Graphs = std::array<std::optional<Graph>, kGraphIds>;

/// A node of a communicator with different nodes.
struct CommunicatorNode {
  std::vector<int> ranks{};  ///< ranks of the communicator, by rank within the node
  std::size_t kind = 0;      ///< index of Communicator::node_graphs
};

/// An NCCL communicator after the search. If its nodes differ, `graphs` is what all of them
/// support: the smallest channel counts and bandwidths, and the most distant path types.
struct Communicator {
  int ranks = 0;
  int nodes = 0;
  int min_compute_capability = 0;  ///< 80 for sm_80
  int max_compute_capability = 0;
  CpuVendor cpu_vendor = CpuVendor::other;
  bool x86 = true;
  bool nvswitch = false;
  /// GPUs and NVSwitches support multicast, and an NVLS graph was found.
  bool nvls_support = false;
  bool collnet_support = false;  ///< SHARP is supported and enabled
  float max_bandwidth = 0;       ///< GB/s, fastest path ("maxBw")
  float total_bandwidth = 0;     ///< GB/s ("totalBw")
  float net_bandwidth = 0;       ///< GB/s, the slowest NIC of a GPU ("minNetBw"); 0: none
  Graphs graphs;
  ChannelCounts channels;
  /// By collective channel: the index of the channel that it copies, among the 2 x
  /// `channels.search` channels that NCCL connects.
  std::vector<int> channel_origins;
  /// Empty: all nodes have `graphs`, and the ranks of a node are consecutive.
  std::vector<CommunicatorNode> members;
  std::vector<Graphs> node_graphs;   ///< by kind of node
  std::vector<FusedNet> fused_nets;  ///< of the first node

  [[nodiscard]] int ranks_per_node() const { return nodes > 0 ? ranks / nodes : 0; }
  [[nodiscard]] const std::optional<Graph>& graph(GraphId id) const {
    return graphs[static_cast<std::size_t>(id)];
  }
};

/// The modelled NCCL releases: 2.28.9, 2.30.7 and 2.32.6.
enum class Version { v2_28, v2_30, v2_32 };

}  // namespace railyard::collectives::nccl
