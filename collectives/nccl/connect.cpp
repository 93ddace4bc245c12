#include "collectives/nccl/connect.hpp"

#include <algorithm>
#include <cassert>

namespace railyard::collectives::nccl {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Which of the searched channels, and which of the two trees, a collective channel uses.
struct Source {
  int channel = 0;
  int tree = 0;
};

Source source_of(const Communicator& communicator, int channel) {
  const int origin = communicator.channel_origins[at(channel)];
  const int searched = communicator.channels.search;
  return {.channel = origin % searched, .tree = origin / searched};
}

/// The binary tree whose leaves are the odd numbers: number n with lowest set bit b hangs below
/// (n without b) + 2b, or, where that is too large, below n without b.
NodePlace place_in_tree(int nodes, int node) {
  NodePlace place;
  int bit = 1;
  while (bit < nodes && (node & bit) == 0) bit *= 2;
  if (node == 0) {
    if (nodes > 1) place.down[1] = bit / 2;
    return place;
  }
  const int up = (node ^ bit) | (bit * 2);
  place.up = up < nodes ? up : node ^ bit;
  place.first_child = node < place.up;
  int below = bit / 2;
  if (below == 0) return place;
  place.down[0] = node - below;
  while (below > 0 && node + below >= nodes) below /= 2;
  if (below > 0) place.down[1] = node + below;
  return place;
}

/// Ranks of a node by which a tree leaves it: to the node above, and to its two children.
struct Doors {
  int up, first, second;
};

Doors doors(const Communicator& communicator, const Graph& graph, int channel, int node) {
  const std::vector<int>& order = graph.orders[at(channel)].gpus;
  const int base = node * communicator.ranks_per_node();
  // src/graph/connect.cc, ncclTopoPreset: one GPU in a plain tree; two share the work in the
  // others.
  const std::size_t first = graph.pattern == GraphPattern::tree ? 0 : 1;
  const std::size_t second = graph.pattern == GraphPattern::split_tree ? 1 : 0;
  return {.up = base + order[0], .first = base + order[first], .second = base + order[second]};
}

void join_nodes(const Communicator& communicator, const Graph& graph, Source source,
                std::vector<TreePlace>& ranks) {
  for (int node = 0; node < communicator.nodes; ++node) {
    const NodePlace place = place_in_double_tree(communicator.nodes, node, source.tree);
    const Doors here = doors(communicator, graph, source.channel, node);
    if (place.up >= 0) {
      const Doors above = doors(communicator, graph, source.channel, place.up);
      ranks[at(here.up)].up = place.first_child ? above.first : above.second;
    }
    const int exits[2] = {here.first, here.second};
    for (int child = 0; child < 2; ++child) {
      if (place.down[child] < 0) continue;
      const Doors below = doors(communicator, graph, source.channel, place.down[child]);
      ranks[at(exits[child])].down.push_back(below.up);
    }
  }
}

}  // namespace

NodePlace place_in_double_tree(int nodes, int node, int tree) {
  if (tree == 0) return place_in_tree(nodes, node);
  const bool shifted = nodes % 2 == 1;
  const auto back = [&](int n) {
    if (n < 0) return -1;
    return shifted ? (n + 1) % nodes : nodes - 1 - n;
  };
  NodePlace place = place_in_tree(nodes, shifted ? (node - 1 + nodes) % nodes : nodes - 1 - node);
  place.up = back(place.up);
  for (int& below : place.down) below = back(below);
  return place;
}

std::vector<int> connect_ring(const Communicator& communicator, int channel) {
  const Graph& graph = *communicator.graph(GraphId::ring);
  const int searched = source_of(communicator, channel).channel;
  const bool pairs = graph.cross_nic == 2 && graph.channels % 2 == 0;
  std::vector<int> ring;
  ring.reserve(at(communicator.ranks));
  for (int node = 0; node < communicator.nodes; ++node) {
    const int own = pairs && node % 2 == 1 ? searched ^ 1 : searched;
    for (const int gpu : graph.orders[at(own)].gpus)
      ring.push_back(node * communicator.ranks_per_node() + gpu);
  }
  std::ranges::rotate(ring, std::ranges::find(ring, 0));
  return ring;
}

std::vector<TreePlace> connect_tree(const Communicator& communicator, int channel) {
  const Graph& graph = *communicator.graph(GraphId::tree);
  const Source source = source_of(communicator, channel);
  std::vector<TreePlace> ranks(at(communicator.ranks));
  const std::vector<int>& order = graph.orders[at(source.channel)].gpus;
  for (int node = 0; node < communicator.nodes; ++node) {
    const int base = node * communicator.ranks_per_node();
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      ranks[at(base + order[i])].down.push_back(base + order[i + 1]);
      ranks[at(base + order[i + 1])].up = base + order[i];
    }
  }
  join_nodes(communicator, graph, source, ranks);
  return ranks;
}

}  // namespace railyard::collectives::nccl
