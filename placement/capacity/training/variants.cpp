#include "placement/capacity/training/variants.hpp"

#include <cassert>
#include <cmath>

namespace railyard::placement {
namespace {

Bytes scaled(Bytes bytes, double factor) {
  return Bytes(std::llround(static_cast<double>(bytes.count()) * factor));
}

void speed_up(topology::PcieSpec& pcie, int factor) {
  pcie.link_width *= factor;
  if (pcie.bandwidth) pcie.bandwidth = *pcie.bandwidth * factor;
  for (topology::NetSpec& net : pcie.nets) net.bandwidth = net.bandwidth * factor;
  for (topology::PcieSpec& child : pcie.children) speed_up(child, factor);
}

}  // namespace

topology::ClusterSpec with_network_rate(topology::ClusterSpec spec, int factor) {
  for (topology::NodeSpec& node : spec.node_specs)
    for (topology::CpuSpec& cpu : node.cpus)
      for (topology::PcieSpec& pcie : cpu.pcie) speed_up(pcie, factor);
  topology::FabricSpec& fabric = spec.fabric;
  if (fabric.port_bandwidth) fabric.port_bandwidth = *fabric.port_bandwidth * factor;
  if (fabric.fabric_bandwidth) fabric.fabric_bandwidth = *fabric.fabric_bandwidth * factor;
  for (topology::CableSpec& cable : fabric.cables) cable.bandwidth = cable.bandwidth * factor;
  return spec;
}

topology::ClusterSpec with_oversubscription(topology::ClusterSpec spec, double ratio) {
  spec.fabric.leaf_oversubscription = ratio;
  spec.fabric.spines_per_pod.reset();
  spec.fabric.cores.reset();
  return spec;
}

PlaceProblem with_nvlink_domain(PlaceProblem problem, int gpus) {
  assert(problem.types.size() == 1);
  NodeFabric& fabric = problem.types.front().fabric;
  const int nodes = gpus / static_cast<int>(fabric.gpus_per_node);
  fabric.nics = fabric.nics * nodes;
  fabric.nic_count *= static_cast<std::uint32_t>(nodes);
  fabric.gpus_per_node = static_cast<std::uint32_t>(gpus);
  problem.communication = {ClosedForm(fabric)};
  return problem;
}

PlaceProblem with_memory(PlaceProblem problem, double factor) {
  for (GpuType& type : problem.types) type.gpu.gpu.memory = scaled(type.gpu.gpu.memory, factor);
  return problem;
}

}  // namespace railyard::placement
