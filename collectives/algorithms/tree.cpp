#include <algorithm>

#include "collectives/algorithms/algorithm_list.hpp"
#include "collectives/algorithms/group_legs.hpp"
#include "collectives/algorithms/tree_steps.hpp"
#include "collectives/schedule/chunking.hpp"

namespace railyard::collectives {
namespace {

bool supports_tree(Kind kind) {
  return kind == Kind::all_reduce || kind == Kind::broadcast || kind == Kind::reduce;
}

std::string always(const Request&) { return {}; }

TreeChain chain_of(const Group& group, const NodeLeg& leg, std::size_t node) {
  const auto positions = group.members(group.nodes()[node]);
  TreeChain chain{.members = {}, .nic = leg.in_nic};
  for (const std::uint32_t member : leg.order) chain.members.push_back(positions[member]);
  // A leg that leaves without a relay ends at a second GPU of the same NIC. The tree is then
  // balanced, and the head and this second GPU are neighbours.
  const bool balanced = chain.members.size() > 1 && leg.in_nic >= 0 && !leg.relay;
  if (balanced) {
    std::reverse(chain.members.begin() + 1, chain.members.end());
    chain.attach = {0, 1};
  }
  return chain;
}

/// Moves the root rank to the front of its node's chain. Child nodes then connect to the second
/// member, which is the GPU of the channel's NIC.
void begin_at(TreeChain& chain, Participant root) {
  const Participant head = chain.members.front();
  if (head == root) return;
  std::erase(chain.members, root);
  chain.members.insert(chain.members.begin(), root);
  chain.attach = {1, 1};
}

/// The node of each tree number: tree numbers start at the root's node and wrap around.
std::vector<std::size_t> nodes_from(std::size_t first, std::size_t nodes) {
  std::vector<std::size_t> order(nodes);
  for (std::size_t i = 0; i < nodes; ++i) order[i] = (first + i) % nodes;
  return order;
}

std::vector<TreeChain> chains_of(const Request& request, const GroupLegs& legs, std::size_t leg) {
  const Group& group = *request.group;
  const bool rooted = request.collective.kind != Kind::all_reduce;
  const std::uint32_t root = request.collective.root;
  std::vector<TreeChain> chains;
  chains.reserve(group.nodes().size());
  for (const std::size_t node :
       nodes_from(rooted ? group.node_index(root) : 0, group.nodes().size())) {
    chains.push_back(chain_of(group, legs[node][leg], node));
  }
  if (rooted) begin_at(chains.front(), root);
  return chains;
}

Channel channel_of(Kind kind, const std::vector<TreeChain>& chains, bool second,
                   std::uint64_t pieces) {
  const auto nodes = static_cast<std::uint32_t>(chains.size());
  const NodeTree tree =
      kind == Kind::all_reduce ? binary_tree(nodes, second) : rooted_tree(nodes, second);
  Loop loop{.repeat = pieces, .coupling = Coupling::pipeline, .steps = {}};
  if (kind != Kind::broadcast) loop.steps = steps_up(tree, chains);
  if (kind != Kind::reduce) {
    std::vector<Step> down = steps_down(tree, chains);
    std::move(down.begin(), down.end(), std::back_inserter(loop.steps));
  }
  return {.chunks_per_block = pieces, .loops = {std::move(loop)}};
}

/// On a single node NCCL's tree is a chain, and both trees are identical.
std::vector<std::vector<TreeChain>> chains_on_one_node(const Request& request) {
  const NodeMembers members = members_of(request.cluster, *request.group, 0);
  std::vector<std::vector<TreeChain>> chains;
  for (const std::vector<std::uint32_t>& ring : node_rings(members)) {
    TreeChain chain;
    for (const std::uint32_t member : ring) chain.members.push_back(members.positions[member]);
    if (request.collective.kind != Kind::all_reduce) {
      std::rotate(chain.members.begin(),
                  std::find(chain.members.begin(), chain.members.end(), request.collective.root),
                  chain.members.end());
    }
    chains.push_back({std::move(chain)});
  }
  return chains;
}

std::vector<std::vector<TreeChain>> chains_between_nodes(const Request& request) {
  const GroupLegs legs(request.cluster, *request.group, Crossing::straight);
  std::vector<std::vector<TreeChain>> chains;
  for (std::size_t leg = 0; leg < legs.channels(); ++leg)
    chains.push_back(chains_of(request, legs, leg));
  return chains;
}

Schedule build_tree(const Request& request) {
  if (request.group->size() == 1) return nothing_to_do(request, "tree");
  const bool one_node = request.group->nodes().size() == 1;
  const auto chains = one_node ? chains_on_one_node(request) : chains_between_nodes(request);
  const std::size_t channels = channel_count(request, one_node ? chains.size() : 2 * chains.size());
  const std::uint64_t pieces =
      pipeline_pieces(request, channels, step_payload(request.options.protocol));
  Schedule::Parts parts = parts_of(request, "tree");
  for (std::size_t channel = 0; channel < channels; ++channel) {
    // As in NCCL, the first half of the channels uses the first tree and the second half the other.
    const bool second = channel >= (channels + 1) / 2;
    parts.channels.push_back(
        channel_of(request.collective.kind, chains[channel % chains.size()], second, pieces));
  }
  return Schedule(std::move(parts));
}

}  // namespace

Algorithm tree_algorithm() {
  return {.name = "tree",
          .summary = "double binary tree over nodes, a chain within each (NCCL's Tree)",
          .supports = supports_tree,
          .why_not = always,
          .build = build_tree};
}

}  // namespace railyard::collectives
