#include "collectives/algorithms/nvls_support.hpp"

#include <fmt/format.h>

#include <utility>

#include "collectives/algorithms/node_members.hpp"

namespace railyard::collectives {
namespace {

// NVLink SHARP needs Hopper's third-generation NVSwitch (NCCL 2.30 init.cc requires sm 90).
constexpr int kLeastCapability = 90;

/// NCCL 2.30 enqueue.cc, ncclNvlsSupported.
bool can_reduce(const Collective& collective) {
  if (collective.kind == Kind::all_gather) return true;
  if (size_of(collective.type) == Bytes(1)) return false;
  const bool is_wide = collective.type == DataType::float32 || collective.type == DataType::float64;
  switch (collective.op) {
    case ReduceOp::sum: return true;
    case ReduceOp::min:
    case ReduceOp::max: return !is_wide;
    case ReduceOp::prod:
    case ReduceOp::avg: break;
  }
  return false;
}

}  // namespace

std::string why_not_nvls(const Request& request) {
  for (std::size_t i = 0; i < request.group->nodes().size(); ++i) {
    const NodeMembers members = members_of(request.cluster, *request.group, i);
    if (!has_nvswitch(members)) {
      return fmt::format("needs an NVSwitch in every node; node {} has none", members.node.value());
    }
    const topology::GpuSpec& gpu = members.shape->spec().gpu;
    if (gpu.compute_capability < kLeastCapability) {
      return fmt::format("needs NVLink SHARP (compute capability {} or more); {} has {}",
                         kLeastCapability, gpu.name, gpu.compute_capability);
    }
  }
  if (can_reduce(request.collective)) return {};
  return fmt::format("the NVSwitch does not support {} of {}", to_text(request.collective.op),
                     to_text(request.collective.type));
}

void add_step(std::vector<Step>& steps, std::vector<Edge> edges, Action action) {
  if (edges.empty()) return;
  steps.push_back(
      {.pattern = EdgePattern{.edges = std::make_shared<const std::vector<Edge>>(std::move(edges)),
                              .action = action}});
}

std::vector<Edge> into_nvswitches(const Request& request, Reducers& reducers) {
  const Group& group = *request.group;
  std::vector<Edge> edges;
  edges.reserve(group.size());
  for (std::uint32_t position = 0; position < group.size(); ++position) {
    const NodeId node = group.nodes()[group.node_index(position)].node;
    edges.push_back(
        {.source = position, .destination = reducers.participant(request.cluster.nvswitch(node))});
  }
  return edges;
}

std::vector<Edge> out_of_nvswitches(const Request& request, Reducers& reducers) {
  std::vector<Edge> edges = into_nvswitches(request, reducers);
  for (Edge& edge : edges) std::swap(edge.source, edge.destination);
  return edges;
}

}  // namespace railyard::collectives
