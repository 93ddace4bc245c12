#include "collectives/nccl/search.hpp"

#include <algorithm>

#include "topology/node_graph.hpp"

namespace railyard::collectives::nccl {
namespace {

/// NCCL's view of nodes that all are alike, rank after rank, needs no list of them.
bool is_regular(const std::vector<CommunicatorNode>& members) {
  int next = 0;
  for (const CommunicatorNode& member : members) {
    if (member.kind != 0) return false;
    for (const int rank : member.ranks)
      if (rank != next++) return false;
  }
  return true;
}

/// A node of a cluster with the GPUs that are listed, by their place in the node.
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
  const SearchedNode node = search_node(system, nodes, environment);
  const SearchedNode* const kinds[] = {&node};
  return join_nodes(kinds, nodes * system.gpu_count(), nodes, environment);
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
  return system_of(cluster, cluster.node(node.node).shape, gpus, environment);
}

const SearchedNode& CommunicatorSearch::searched(const Key& key, int nodes) {
  const auto found = searched_.find(key);
  if (found != searched_.end()) return found->second;
  const auto& [shape, gpus, inter, many] = key;
  return searched_
      .emplace(key,
               search_node(system_of(cluster_, shape, gpus, environment_), nodes, environment_))
      .first->second;
}

Communicator CommunicatorSearch::communicator(const Group& group) {
  const int nodes = static_cast<int>(group.nodes().size());
  std::vector<CommunicatorNode> members;
  std::vector<const SearchedNode*> kinds;
  for (const GroupNode& node : group.nodes()) {
    CommunicatorNode member;
    std::vector<int> gpus;
    for (const std::uint32_t position : group.members(node)) {
      member.ranks.push_back(static_cast<int>(position));
      gpus.push_back(cluster_.local_gpu(group.rank(position)));
    }
    const SearchedNode& known = searched({cluster_.node(node.node).shape, std::move(gpus),
                                          nodes > 1, nodes >= environment_.collnet_node_threshold},
                                         nodes);
    const auto kind = std::ranges::find(kinds, &known);
    member.kind = static_cast<std::size_t>(kind - kinds.begin());
    if (kind == kinds.end()) kinds.push_back(&known);
    members.push_back(std::move(member));
  }
  Communicator out = join_nodes(kinds, static_cast<int>(group.size()), nodes, environment_);
  if (!is_regular(members)) out.members = std::move(members);
  return out;
}

}  // namespace railyard::collectives::nccl
