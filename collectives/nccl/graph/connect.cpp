#include "collectives/nccl/graph/connect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>

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

/// The binary tree whose leaves are the odd numbers: the parent of number n with lowest set bit b
/// is (n without b) + 2b. If this is too large, the parent is n without b.
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

/// A node's own graph.
const Graph& graph_of(const Communicator& communicator, GraphId id, int node) {
  if (communicator.node_graphs.empty()) return *communicator.graph(id);
  const std::size_t kind = communicator.members[at(node)].kind;
  return *communicator.node_graphs[kind][at(static_cast<int>(id))];
}

int rank_of(const Communicator& communicator, int node, int local) {
  if (communicator.members.empty()) return node * communicator.ranks_per_node() + local;
  return communicator.members[at(node)].ranks[at(local)];
}

/// The ranks of a node in the order of a channel.
std::vector<int> ranks_in_order(const Communicator& communicator, const Graph& graph, int channel,
                                int node) {
  std::vector<int> ranks;
  for (const int gpu : graph.orders[at(channel)].gpus)
    ranks.push_back(rank_of(communicator, node, gpu));
  return ranks;
}

/// The ranks of a node that connect to other nodes of a tree: to the parent and to the two
/// children.
struct TreeExits {
  int up, first, second;
};

TreeExits tree_exits(const Communicator& communicator, int channel, int node) {
  const Graph& graph = graph_of(communicator, GraphId::tree, node);
  const std::vector<int> ranks = ranks_in_order(communicator, graph, channel, node);
  // src/graph/connect.cc, ncclTopoPreset: in a plain tree one GPU makes all connections; in the
  // other patterns two GPUs share them.
  const std::size_t first = graph.pattern == GraphPattern::tree ? 0 : 1;
  const std::size_t second = graph.pattern == GraphPattern::split_tree ? 1 : 0;
  return {.up = ranks[0], .first = ranks[first], .second = ranks[second]};
}

void join_nodes(const Communicator& communicator, Source source, std::vector<TreePlace>& ranks) {
  for (int node = 0; node < communicator.nodes; ++node) {
    const NodePlace place = place_in_double_tree(communicator.nodes, node, source.tree);
    const TreeExits here = tree_exits(communicator, source.channel, node);
    if (place.up >= 0) {
      const TreeExits above = tree_exits(communicator, source.channel, place.up);
      ranks[at(here.up)].up = place.first_child ? above.first : above.second;
    }
    const std::array exits{here.first, here.second};
    for (std::size_t child = 0; child < exits.size(); ++child) {
      if (place.down[child] < 0) continue;
      const TreeExits below = tree_exits(communicator, source.channel, place.down[child]);
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

std::vector<int> node_chain(const Communicator& communicator, GraphId id, int channel, int node) {
  const Graph& graph = graph_of(communicator, id, node);
  int searched = source_of(communicator, channel).channel;
  const bool pairs = id == GraphId::ring && graph.cross_nic == 2 && graph.channels % 2 == 0;
  if (pairs && node % 2 == 1) searched ^= 1;
  return ranks_in_order(communicator, graph, searched, node);
}

std::vector<int> connect_ring(const Communicator& communicator, int channel) {
  std::vector<int> ring;
  ring.reserve(at(communicator.ranks));
  for (int node = 0; node < communicator.nodes; ++node)
    std::ranges::copy(node_chain(communicator, GraphId::ring, channel, node),
                      std::back_inserter(ring));
  std::rotate(ring.begin(), std::ranges::find(ring, 0), ring.end());
  return ring;
}

std::vector<TreePlace> connect_tree(const Communicator& communicator, int channel) {
  std::vector<TreePlace> ranks(at(communicator.ranks));
  for (int node = 0; node < communicator.nodes; ++node) {
    const std::vector<int> chain = node_chain(communicator, GraphId::tree, channel, node);
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      ranks[at(chain[i])].down.push_back(chain[i + 1]);
      ranks[at(chain[i + 1])].up = chain[i];
    }
  }
  join_nodes(communicator, source_of(communicator, channel), ranks);
  return ranks;
}

std::vector<std::vector<int>> connect_heads(const Communicator& communicator) {
  const std::optional<Graph>& common = communicator.graph(GraphId::nvls);
  std::vector<std::vector<int>> heads;
  for (int head = 0; common && head < common->channels; ++head) {
    heads.emplace_back();
    for (int node = 0; node < communicator.nodes; ++node)
      heads.back().push_back(
          ranks_in_order(communicator, graph_of(communicator, GraphId::nvls, node), head, node)
              .front());
  }
  return heads;
}

namespace {

/// The numbers of equal collective channels, in order: "00,08".
std::map<int, std::vector<std::string>> channels_by(const std::vector<int>& keys) {
  std::map<int, std::vector<std::string>> grouped;
  for (std::size_t channel = 0; channel < keys.size(); ++channel)
    grouped[keys[channel]].push_back(fmt::format("{:02}", channel));
  return grouped;
}

std::string shortened(const std::vector<int>& ranks, int most) {
  const std::size_t shown = std::min(ranks.size(), at(std::max(1, most)));
  std::string text = fmt::format("{}", fmt::join(std::span(ranks).first(shown), " "));
  if (shown == ranks.size()) return text;
  return fmt::format("{} ... ({} more ranks)", text, ranks.size() - shown);
}

/// The chain of a node and the ranks that join it to others.
std::string node_line(const std::vector<TreePlace>& ranks, const std::vector<int>& chain,
                      int node) {
  std::vector<int> below;
  for (const int rank : chain) {
    for (const int down : ranks[at(rank)].down)
      if (std::ranges::find(chain, down) == chain.end()) below.push_back(down);
  }
  const int up = ranks[at(chain.front())].up;
  std::string line = fmt::format("node {}: {}", node, fmt::join(chain, " "));
  line += up < 0 ? ", root" : fmt::format("; above: {}", up);
  if (!below.empty()) line += fmt::format("; below: {}", fmt::join(below, " "));
  return line;
}

}  // namespace

std::string describe_rings(const Communicator& communicator, int most_ranks) {
  std::vector<int> keys;
  for (const int origin : communicator.channel_origins)
    keys.push_back(origin % communicator.channels.search);
  std::string text;
  for (const auto& [key, channels] : channels_by(keys)) {
    const auto first = static_cast<int>(std::ranges::find(keys, key) - keys.begin());
    text += fmt::format("Ring {} : {}\n", fmt::join(channels, ","),
                        shortened(connect_ring(communicator, first), most_ranks));
  }
  return text;
}

std::string describe_trees(const Communicator& communicator, int most_nodes) {
  const std::vector<int>& origins = communicator.channel_origins;
  const int shown = std::min(communicator.nodes, std::max(1, most_nodes));
  std::string text;
  for (const auto& [origin, channels] : channels_by(origins)) {
    const auto first = static_cast<int>(std::ranges::find(origins, origin) - origins.begin());
    const std::vector<TreePlace> ranks = connect_tree(communicator, first);
    const std::string head = fmt::format("Tree {} : ", fmt::join(channels, ","));
    for (int node = 0; node < shown; ++node)
      text +=
          fmt::format("{}{}\n", node == 0 ? head : std::string(head.size(), ' '),
                      node_line(ranks, node_chain(communicator, GraphId::tree, first, node), node));
    if (shown < communicator.nodes)
      text += fmt::format("{}... ({} more nodes)\n", std::string(head.size(), ' '),
                          communicator.nodes - shown);
  }
  return text;
}

std::string describe_heads(const Communicator& communicator, int most_nodes) {
  std::string text;
  int number = 0;
  for (const std::vector<int>& ranks : connect_heads(communicator))
    text += fmt::format("NVLS head {:02} : {}\n", number++, shortened(ranks, most_nodes));
  return text;
}

}  // namespace railyard::collectives::nccl
