#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>

#include "collectives/nccl/graph/connect.hpp"

namespace railyard::collectives::nccl {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Collective channels by what they are copies of, in order: "00,08".
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
