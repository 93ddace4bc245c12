#include "placement/cost/gpu_type.hpp"

#include <algorithm>

#include "core/diagnostic.hpp"
#include "placement/cost/host_link.hpp"

namespace railyard::placement {
namespace {

constexpr std::size_t kLetters = 26;

bool are_alike(const GpuType& a, const GpuType& b) {
  return a.fabric.gpus_per_node == b.fabric.gpus_per_node && a.fabric.nics == b.fabric.nics &&
         a.fabric.nvlink == b.fabric.nvlink && a.fabric.nic_count == b.fabric.nic_count &&
         a.gpu.gpu.memory == b.gpu.gpu.memory && a.gpu.gpu.name == b.gpu.gpu.name;
}

}  // namespace

int first_alike(std::span<const GpuType> types, int type) {
  int first = 0;
  while (first < type &&
         !are_alike(types[static_cast<std::size_t>(first)], types[static_cast<std::size_t>(type)]))
    ++first;
  return first;
}

const GpuType* find_type(std::span<const GpuType> types, std::uint32_t shape) {
  const auto found = std::ranges::find(types, shape, &GpuType::shape);
  return found == types.end() ? nullptr : &*found;
}

CostContext cost_context(const Job& job, std::span<const GpuType> types,
                         std::span<const CommunicationModel* const> communication,
                         const DimensionOrder& order) {
  CostContext context(job, order);
  for (std::size_t t = 0; t < types.size(); ++t)
    context.types.push_back({.job = job,
                             .gpu = types[t].gpu,
                             .communication = *communication[t],
                             .gpus_per_node = types[t].gpus_per_node(),
                             .order = order,
                             .gpus = types[t].gpus(),
                             .kind = first_alike(types, static_cast<int>(t))});
  return context;
}

int nodes_of(std::span<const GpuType> types, std::span<const int> gpus) {
  int nodes = 0;
  for (std::size_t t = 0; t < gpus.size(); ++t) {
    const int per_node = types[t].gpus_per_node();
    nodes += (gpus[t] + per_node - 1) / per_node;
  }
  return nodes;
}

std::string type_name(int type) { return std::string(1, static_cast<char>('A' + type)); }

std::vector<GpuType> gpu_types(const topology::Cluster& cluster, std::span<const Rank> free) {
  std::vector<std::vector<Rank>> by_shape(cluster.shapes().size());
  for (const Rank gpu : free) by_shape[cluster.node(cluster.node_of(gpu)).shape].push_back(gpu);
  std::vector<GpuType> types;
  for (std::size_t shape = 0; shape < by_shape.size(); ++shape) {
    if (by_shape[shape].empty()) continue;
    const topology::NodeSpec& node = cluster.spec().node_specs[shape];
    Processor gpu = find_processor(node.gpu);
    gpu.spec.host_bandwidth = host_bandwidth(node, gpu.spec.host_bandwidth);
    types.push_back({.gpu = std::move(gpu),
                     .fabric = node_fabric(node, cluster.spec().overheads),
                     .node = node.name,
                     .shape = static_cast<std::uint32_t>(shape),
                     .free = std::move(by_shape[shape])});
  }
  if (types.size() > kLetters)
    throw InputError("", "/groups", "more than 26 kinds of nodes", "groups of one node are one");
  return types;
}

}  // namespace railyard::placement
