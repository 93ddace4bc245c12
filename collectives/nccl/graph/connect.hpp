#pragma once

#include <array>
#include <string>
#include <vector>

#include "collectives/nccl/graph/graph.hpp"

namespace railyard::collectives::nccl {

/// The ranks of a node in the order in which a collective channel visits them. For a tree: the
/// chain inside the node, from its top.
[[nodiscard]] std::vector<int> node_chain(const Communicator& communicator, GraphId id, int channel,
                                          int node);

/// The ring of a collective channel over all ranks, starting at rank 0 (NCCL's "Channel 00/16 : 0 7
/// 6 ..."). Nodes follow each other in order. With NICs in pairs (crossNic 2), odd nodes use the
/// other channel of the pair, so that each hop between nodes stays on one rail.
[[nodiscard]] std::vector<int> connect_ring(const Communicator& communicator, int channel);

/// The neighbours of a rank in a tree: its parent (-1 for the root) and its children, those in its
/// own node first.
struct TreePlace {
  int up = -1;
  std::vector<int> down{};
};

/// The tree of a collective channel, by rank: a chain inside each node, and one of the two trees of
/// a double binary tree between nodes (ncclGetDtree). The first `search` channels use the first
/// tree, the next `search` channels the second.
[[nodiscard]] std::vector<TreePlace> connect_tree(const Communicator& communicator, int channel);

/// The neighbours of a node in one tree of a double binary tree; -1: none.
struct NodePlace {
  int up = -1;
  std::array<int, 2> down{-1, -1};
  bool first_child = true;  ///< of its parent
};
/// tree 0: the leaves are the odd nodes. tree 1: tree 0 mirrored if the number of nodes is even,
/// else shifted by one node.
[[nodiscard]] NodePlace place_in_double_tree(int nodes, int node, int tree);

/// The heads of NVLS, each with its rank on every node ("NVLS Head 0: 0 8"). A head owns a part of
/// the data: the GPUs of its node reduce into it by multicast, and two trees over the nodes connect
/// the heads of a row. Empty without NVLS.
[[nodiscard]] std::vector<std::vector<int>> connect_heads(const Communicator& communicator);

/// Rings as text, equal channels on one line: "Ring 00,08 : 0 7 6 5". Lists of more than
/// `most_ranks` ranks are truncated and end with the number of omitted ranks.
[[nodiscard]] std::string describe_rings(const Communicator& communicator, int most_ranks = 64);
/// Trees as text. One line per node with its chain, followed by its parent and children on other
/// nodes: "Tree 00,16 : node 0: 0 7 6 5, root; below: 8".
[[nodiscard]] std::string describe_trees(const Communicator& communicator, int most_nodes = 8);

/// NVLS heads as text: "NVLS head 00 : 0 8 16 24"; nothing without NVLS.
[[nodiscard]] std::string describe_heads(const Communicator& communicator, int most_nodes = 64);

}  // namespace railyard::collectives::nccl
