#include "collectives/nccl/timing/fit/machines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/nccl/search/search.hpp"
#include "core/diagnostic.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/cluster/read_timings.hpp"

namespace railyard::collectives::nccl {
namespace {

using topology::ClusterSpec;

/// The number of nodes of the cluster file that hold the ranks of a table. If the node of the
/// cluster file is an NVLink domain larger than a measured node, this is the smallest number that
/// holds all ranks. Otherwise it is the measured number, with the same number of GPUs on each node.
int nodes_of(const Shape& shape, int gpus_per_node) {
  if (shape.nodes <= 1 || shape.ranks <= 1) return 1;
  const bool is_one_domain = shape.ranks / shape.nodes < gpus_per_node && gpus_per_node > 8;
  if (is_one_domain) return (shape.ranks + gpus_per_node - 1) / gpus_per_node;
  return shape.nodes;
}

std::string why_not_held(const Shape& shape, int gpus_per_node) {
  const int nodes = nodes_of(shape, gpus_per_node);
  if (nodes >= 1 && shape.ranks % nodes == 0 && shape.ranks / nodes <= gpus_per_node) return {};
  return fmt::format("does not hold {} ranks on {} nodes: a node has {} GPUs", shape.ranks, nodes,
                     gpus_per_node);
}

}  // namespace

std::string Machines::why_not(const Shape& shape) const {
  if (entries_.contains(shape)) return {};
  return why_not_held(shape,
                      topology::read_cluster(shape.cluster, 1).node_specs.front().gpu_count());
}

const Machines::Entry& Machines::at(const Shape& shape) {
  const auto found = entries_.find(shape);
  if (found != entries_.end()) return found->second;
  const ClusterSpec spec = topology::read_cluster(shape.cluster, 1);
  const topology::NodeSpec& node = spec.node_specs.front();
  if (std::string reason = why_not_held(shape, node.gpu_count()); !reason.empty())
    throw InputError(shape.cluster, "", std::move(reason));
  const int nodes = nodes_of(shape, node.gpu_count());
  std::vector<int> gpus(static_cast<std::size_t>(shape.ranks / nodes));
  for (std::size_t i = 0; i < gpus.size(); ++i) gpus[i] = static_cast<int>(i);
  const auto system = make_system(node, gpus, {});
  Entry entry;
  entry.communicator = std::make_shared<const Communicator>(make_communicator(system, nodes));
  const topology::Timings timings = topology::read_timings(shape.cluster);
  entry.machine = std::make_shared<const Machine>(make_machine(
      *entry.communicator, {.shape = topology::NodeShape(node), .gpus = gpus}, timings));
  entry.generation = timings.generation;
  entry.fabric = timings.fabric_kind;
  entry.host = timings.host;
  return entries_.emplace(shape, std::move(entry)).first->second;
}

}  // namespace railyard::collectives::nccl
