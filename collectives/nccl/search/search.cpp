#include "collectives/nccl/search/search.hpp"

#include <algorithm>

#include "collectives/nccl/search/known_nodes.hpp"
#include "topology/node/node_graph.hpp"

namespace railyard::collectives::nccl {
namespace {

/// Whether all nodes are equal and ranks are consecutive; Communicator::members then stays empty.
bool is_regular(const std::vector<CommunicatorNode>& members) {
  int next = 0;
  for (const CommunicatorNode& member : members) {
    if (member.kind != 0) return false;
    for (const int rank : member.ranks)
      if (rank != next++) return false;
  }
  return true;
}

/// The system of a cluster's node with the listed GPUs, given by their index in the node.
System system_of(const topology::Cluster& cluster, std::uint32_t shape,
                 const std::vector<int>& gpus, const SearchEnvironment& environment) {
  const topology::NodeSpec& spec = cluster.shapes()[shape]->spec();
  const std::vector<int> numbers = topology::build_node_graph(spec).gpu_numbers;
  std::vector<int> chosen;
  for (const int gpu : gpus) chosen.push_back(numbers[static_cast<std::size_t>(gpu)]);
  return make_system(spec, chosen, environment);
}

}  // namespace

Communicator make_communicator(const System& system, int nodes,
                               const SearchEnvironment& environment) {
  const std::vector<NodePart> parts = split_node(system, environment);
  const int count = nodes * static_cast<int>(parts.size());
  std::vector<std::shared_ptr<const SearchedNode>> searched;
  std::vector<const SearchedNode*> kinds;
  for (const NodePart& part : parts)
    kinds.push_back(searched.emplace_back(searched_node(part.system, count, environment)).get());
  Communicator out = join_nodes(kinds, nodes * system.gpu_count(), count, environment);
  if (parts.size() == 1) return out;
  for (int node = 0; node < nodes; ++node) {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      out.members.push_back({.ranks = parts[part].ranks, .kind = part});
      for (int& rank : out.members.back().ranks) rank += node * system.gpu_count();
    }
  }
  return out;
}

Communicator make_communicator(const topology::Cluster& cluster, const Group& group,
                               const SearchEnvironment& environment) {
  return CommunicatorSearch(cluster, environment).communicator(group);
}

System first_node(const topology::Cluster& cluster, const Group& group,
                  const SearchEnvironment& environment) {
  const GroupNode& node = group.nodes().front();
  std::vector<int> gpus;
  for (const std::uint32_t position : group.members(node))
    gpus.push_back(cluster.local_gpu(group.rank(position)));
  System whole = system_of(cluster, cluster.node(node.node).shape, gpus, environment);
  return std::move(split_node(std::move(whole), environment).front().system);
}

const std::vector<NodePart>& CommunicatorSearch::parts(const Node& node) {
  const auto found = parts_.find(node);
  if (found != parts_.end()) return found->second;
  System whole = system_of(cluster_, node.first, node.second, environment_);
  return parts_.emplace(node, split_node(std::move(whole), environment_)).first->second;
}

const SearchedNode& CommunicatorSearch::searched(const Key& key, int nodes) {
  const auto found = searched_.find(key);
  if (found != searched_.end()) return *found->second;
  const System& system = parts(std::get<Node>(key))[std::get<1>(key)].system;
  return *searched_.emplace(key, searched_node(system, nodes, environment_)).first->second;
}

Communicator CommunicatorSearch::communicator(const Group& group) {
  std::vector<Node> whole;
  int nodes = 0;
  for (const GroupNode& node : group.nodes()) {
    std::vector<int> gpus;
    for (const std::uint32_t position : group.members(node))
      gpus.push_back(cluster_.local_gpu(group.rank(position)));
    whole.emplace_back(cluster_.node(node.node).shape, std::move(gpus));
    nodes += static_cast<int>(parts(whole.back()).size());
  }
  std::vector<CommunicatorNode> members;
  std::vector<const SearchedNode*> kinds;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto positions = group.members(group.nodes()[i]);
    const std::vector<NodePart>& of_node = parts(whole[i]);
    for (std::size_t part = 0; part < of_node.size(); ++part) {
      const SearchedNode& known = searched(
          {whole[i], part, nodes > 1, nodes >= environment_.collnet_node_threshold}, nodes);
      const auto kind = std::ranges::find(kinds, &known);
      CommunicatorNode member{.ranks = {}, .kind = static_cast<std::size_t>(kind - kinds.begin())};
      if (kind == kinds.end()) kinds.push_back(&known);
      for (const int rank : of_node[part].ranks)
        member.ranks.push_back(static_cast<int>(positions[static_cast<std::size_t>(rank)]));
      members.push_back(std::move(member));
    }
  }
  Communicator out = join_nodes(kinds, static_cast<int>(group.size()), nodes, environment_);
  if (!is_regular(members)) out.members = std::move(members);
  return out;
}

}  // namespace railyard::collectives::nccl
