#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "collectives/algorithms/algorithm_list.hpp"
#include "collectives/algorithms/fabric_tree.hpp"
#include "collectives/algorithms/group_legs.hpp"
#include "collectives/algorithms/nvls_support.hpp"
#include "collectives/algorithms/tree_steps.hpp"
#include "collectives/schedule/chunking.hpp"
#include "topology/node/nets.hpp"

namespace railyard::collectives {
namespace {

// NCCL 2.30: CollNet takes at most 8 ranks per node (docs/models/nccl_tuning.md).
constexpr std::uint32_t kMostPerNode = 8;

bool supports_collnet(Kind kind) { return kind == Kind::all_reduce; }

std::string why_not_sharp(const NodeMembers& members) {
  const std::vector<const topology::NetSpec*> nets = topology::nets_of(members.shape->spec());
  for (const int nic : nics_of(members)) {
    const topology::NetSpec& net = *nets[static_cast<std::size_t>(nic)];
    if (net.in_network_reduction) continue;
    return fmt::format(
        "needs NICs and switches that reduce (SHARP); {} of node {} does not reduce (its net has "
        "no \"in_network_reduction\": true, in NCCL XML coll=\"1\")",
        net.name, members.node.value());
  }
  return {};
}

std::string why_not_chain(const Request& request) {
  const Group& group = *request.group;
  if (group.nodes().size() < 2) return "works between nodes, but the group is on one node";
  if (request.collective.op == ReduceOp::prod) return "switches do not support the operation prod";
  if (std::string reason = why_not_nics(request); !reason.empty()) return reason;
  for (std::size_t i = 0; i < group.nodes().size(); ++i) {
    const NodeMembers members = members_of(request.cluster, group, i);
    if (members.size() > kMostPerNode) {
      return fmt::format("supports at most {} ranks per node; node {} has {}", kMostPerNode,
                         members.node.value(), members.size());
    }
    if (std::string reason = why_not_sharp(members); !reason.empty()) return reason;
  }
  Reducers reducers(group.size());
  for (const std::vector<NicHead>& heads : nic_heads(request)) {
    if (!fabric_tree(request.cluster, heads, 0, reducers).root.is_none()) continue;
    return fmt::format("the leaf switches of NIC {} of the nodes have no common switch above them",
                       heads.front().nic);
  }
  return {};
}

std::string why_not_direct(const Request& request) {
  std::string reason = why_not_chain(request);
  for (std::size_t i = 0; reason.empty() && i < request.group->nodes().size(); ++i) {
    const NodeMembers members = members_of(request.cluster, *request.group, i);
    if (!has_nvswitch(members)) {
      reason = fmt::format(
          "needs an NVSwitch in every node; node {} has none (collnet_chain does not need one)",
          members.node.value());
    }
  }
  return reason;
}

void append(std::vector<Step>& steps, std::vector<Step> more) {
  std::move(more.begin(), more.end(), std::back_inserter(steps));
}

/// The steps inside the nodes before and after the reduction in the fabric.
struct Inside {
  std::vector<Step> to_heads, from_heads;
};

/// Each rank sends the head's share of the data directly to the head, and receives the result from
/// it.
Inside direct(const Request& request, const std::vector<NicHead>& heads) {
  const Group& group = *request.group;
  std::vector<Edge> in;
  std::vector<Edge> out;
  for (std::uint32_t position = 0; position < group.size(); ++position) {
    const Participant head = heads[group.node_index(position)].rank;
    if (head == position) continue;
    in.push_back({.source = position, .destination = head});
    out.push_back({.source = head, .destination = position});
  }
  Inside inside;
  add_step(inside.to_heads, std::move(in), Action::reduce);
  add_step(inside.from_heads, std::move(out), Action::copy);
  return inside;
}

/// Each node reduces along a chain to its head, and copies the result back along the chain.
Inside chained(const Request& request, const GroupLegs& legs, std::size_t leg) {
  const Group& group = *request.group;
  const std::size_t nodes = group.nodes().size();
  std::vector<TreeChain> chains;
  for (std::size_t node = 0; node < nodes; ++node) {
    TreeChain chain;
    for (const std::uint32_t member : legs[node][leg].order) {
      chain.members.push_back(group.members(group.nodes()[node])[member]);
    }
    chains.push_back(std::move(chain));
  }
  // Every node is the root of a tree of its own, because the fabric connects the nodes.
  const NodeTree apart{.parent = std::vector<std::uint32_t>(nodes, NodeTree::kRoot),
                       .which_child = std::vector<std::uint8_t>(nodes, 0),
                       .level = std::vector<std::uint32_t>(nodes, 0)};
  return {.to_heads = steps_up(apart, chains), .from_heads = steps_down(apart, chains)};
}

std::vector<Step> through_fabric(const std::vector<std::vector<Edge>>& up) {
  std::vector<Step> steps;
  for (const std::vector<Edge>& edges : up) add_step(steps, edges, Action::reduce);
  for (const std::vector<Edge>& edges : downwards(up)) add_step(steps, edges, Action::copy);
  return steps;
}

Schedule build_collnet(const Request& request, std::string_view name, bool is_direct) {
  const std::vector<std::vector<NicHead>> heads = nic_heads(request);
  const GroupLegs legs(request.cluster, *request.group, Crossing::straight);
  const std::size_t channels = channel_count(request, heads.size());
  // The chunk is one buffer step, as for every algorithm except ring (NCCL 2.30, enqueue.cc).
  const std::uint64_t pieces =
      pipeline_pieces(request, channels, step_payload(request.options.protocol));
  Reducers reducers(request.group->size());
  Schedule::Parts parts = parts_of(request, name);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const std::size_t h = channel % heads.size();
    Inside inside = is_direct ? direct(request, heads[h]) : chained(request, legs, h);
    Loop loop{
        .repeat = pieces, .coupling = Coupling::pipeline, .steps = std::move(inside.to_heads)};
    append(loop.steps,
           through_fabric(fabric_tree(request.cluster, heads[h], channel, reducers).up));
    append(loop.steps, std::move(inside.from_heads));
    parts.channels.push_back({.chunks_per_block = pieces, .loops = {std::move(loop)}});
  }
  parts.reducers = reducers.devices();
  return Schedule(std::move(parts));
}

}  // namespace

Algorithm collnet_direct_algorithm() {
  return {.name = "collnet_direct",
          .summary =
              "ranks hand shares to one head per NIC, the fabric's switches reduce (NCCL's "
              "CollNetDirect, SHARP)",
          .supports = supports_collnet,
          .why_not = why_not_direct,
          .build = [](const Request& request) {
            return build_collnet(request, "collnet_direct", true);
          }};
}

Algorithm collnet_chain_algorithm() {
  return {.name = "collnet_chain",
          .summary =
              "a chain to the head of each node, the fabric's switches reduce (NCCL's "
              "CollNetChain, SHARP)",
          .supports = supports_collnet,
          .why_not = why_not_chain,
          .build = [](const Request& request) {
            return build_collnet(request, "collnet_chain", false);
          }};
}

}  // namespace railyard::collectives
