#pragma once

#include <array>
#include <string>
#include <vector>

#include "collectives/nccl/graph/graph.hpp"

namespace railyard::collectives::nccl {

/// The ranks of a node in the order in which a collective channel visits them; of a tree its chain
/// from the top.
[[nodiscard]] std::vector<int> node_chain(const Communicator& communicator, GraphId id, int channel,
                                          int node);

/// The ring of a collective channel over all ranks, from rank 0 on (NCCL's "Channel 00/16 : 0 7 6
/// ..."). Nodes follow each other in order. Where NICs are used in pairs (crossNic 2), odd nodes
/// take the other channel of the pair, so that each hop between nodes stays on one rail.
[[nodiscard]] std::vector<int> connect_ring(const Communicator& communicator, int channel);

/// A rank's place in a tree: -1 above the root; children first inside the node, then in others.
struct TreePlace {
  int up = -1;
  std::vector<int> down{};
};

/// The tree of a collective channel, by rank: a chain inside each node, and between nodes one of
/// two binary trees of which each is a leaf where the other is not (ncclGetDtree). The first
/// `search` channels are the first tree, as many more the second.
[[nodiscard]] std::vector<TreePlace> connect_tree(const Communicator& communicator, int channel);

/// A node's place in the two binary trees between nodes.
struct NodePlace {
  int up = -1;
  std::array<int, 2> down{-1, -1};
  bool first_child = true;  ///< of the node above
};
/// `tree` 0: leaves are the odd nodes. 1: mirrored where the nodes are even in number, else shifted
/// by one.
[[nodiscard]] NodePlace place_in_double_tree(int nodes, int node, int tree);

/// The heads of NVLS, each with its rank on every node ("NVLS Head  0:  0  8"). A head owns a part
/// of the data: its node's GPUs reduce into it by multicast, and the heads of a row join in two
/// trees over the nodes. Empty without NVLS.
[[nodiscard]] std::vector<std::vector<int>> connect_heads(const Communicator& communicator);

/// Rings as text, equal channels on one line: "Ring 00,08 : 0 7 6 5". Longer lists than
/// `most_ranks` are cut short and end with the number of ranks left out.
[[nodiscard]] std::string describe_rings(const Communicator& communicator, int most_ranks = 64);
/// Trees as text, a line per node with its chain and, after it, the ranks above and below it in
/// other nodes: "Tree 00,16 : node 0: 0 7 6 5, root; below: 8".
[[nodiscard]] std::string describe_trees(const Communicator& communicator, int most_nodes = 8);

/// NVLS heads as text: "NVLS head 00 : 0 8 16 24"; nothing without NVLS.
[[nodiscard]] std::string describe_heads(const Communicator& communicator, int most_nodes = 64);

}  // namespace railyard::collectives::nccl
