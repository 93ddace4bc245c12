#include "topology/cluster/node_order.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <random>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/formats/hostlist.hpp"

namespace railyard::topology {
namespace {

/// The Fisher-Yates shuffle in Durstenfeld's form (CACM 1964, algorithm 235).
std::vector<NodeId> shuffled(std::vector<NodeId> nodes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[random() % i]);
  return nodes;
}

/// Parses "7" or "node7".
std::optional<std::uint64_t> number_of(std::string_view name) {
  if (name.starts_with("node")) name.remove_prefix(4);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (name.empty() || error != std::errc() || end != name.data() + name.size()) return {};
  return number;
}

class NodeFile {
 public:
  NodeFile(const Cluster& cluster, const std::string& file)
      : cluster_(cluster), problems_(file), seen_(cluster.node_count(), false) {}

  std::vector<NodeId> read(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
      std::istringstream words(line.substr(0, line.find('#')));
      std::string word;
      while (words >> word) add(word, fmt::format("line {}", number));
    }
    if (nodes_.empty()) problems_.add("", "the file lists no node", "write 'node0', or '0'");
    problems_.throw_if_any();
    return std::move(nodes_);
  }

 private:
  void add(const std::string& word, const std::string& line) {
    const auto names = parse_hostlist(word);
    if (!names.value) {
      problems_.add(line, names.error);
      return;
    }
    for (const std::string& name : *names.value) {
      const auto number = number_of(name);
      if (!number || *number >= cluster_.node_count())
        problems_.add(line, fmt::format("the cluster has no node '{}'", name),
                      fmt::format("nodes are node0 to node{}", cluster_.node_count() - 1));
      else if (seen_[*number])
        problems_.add(line, fmt::format("'{}' is listed twice", name));
      else
        nodes_.push_back(NodeId(*number));
      if (number && *number < cluster_.node_count()) seen_[*number] = true;
    }
  }

  const Cluster& cluster_;
  Diagnostics problems_;
  std::vector<bool> seen_;
  std::vector<NodeId> nodes_;
};

}  // namespace

std::vector<NodeId> nodes_in_order(const Cluster& cluster, const std::string& order,
                                   std::uint64_t seed, const std::string& flag) {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < cluster.node_count(); ++i) nodes.emplace_back(i);
  if (order == "contiguous") return nodes;
  if (order == "random") return shuffled(std::move(nodes), seed);
  std::string text;
  try {
    text = core::read_text_file(order);
  } catch (const InputError&) {
    throw InputError("", flag, fmt::format("'{}' is neither an order nor a readable file", order),
                     "write contiguous, random, or the path of a file that lists nodes");
  }
  return NodeFile(cluster, order).read(text);
}

std::vector<Rank> ranks_of_nodes(const Cluster& cluster, const std::vector<NodeId>& nodes,
                                 std::size_t count, const std::string& flag) {
  std::vector<Rank> ranks;
  for (const NodeId node : nodes) {
    const int gpus = cluster.shape(node).gpu_count();
    for (int gpu = 0; gpu < gpus && ranks.size() < count; ++gpu)
      ranks.emplace_back(cluster.node(node).first_rank.value() + static_cast<std::uint32_t>(gpu));
  }
  if (ranks.size() < count)
    throw InputError(
        "", flag,
        fmt::format("the listed nodes have {} GPUs, but {} are requested", ranks.size(), count),
        "list more nodes, or request fewer GPUs with --gpus");
  return ranks;
}

}  // namespace railyard::topology
