// Cluster files: any bytes are a cluster description or an InputError; a small one is built too.
#include <cstdint>

#include "core/diagnostic.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/cluster_fields.hpp"

namespace {

railyard::topology::NodeSpec small_node() {
  using namespace railyard::topology;
  NodeSpec node;
  node.gpu.name = "fuzz";
  node.gpu.compute_capability = 90;
  CpuSpec cpu;
  cpu.vendor = "GenuineIntel";
  for (const int i : {0, 1}) {
    PcieSpec gpu;
    gpu.kind = PcieKind::gpu;
    gpu.gpu = i;
    cpu.pcie.push_back(gpu);
    PcieSpec nic;
    nic.kind = PcieKind::nic;
    nic.nets.resize(1);
    nic.nets[0].dev = i;
    nic.nets[0].bandwidth = railyard::Bandwidth::gigabits_per_second(100);
    cpu.pcie.push_back(nic);
  }
  node.cpus.push_back(cpu);
  return node;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace railyard;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    auto cluster = core::read_config_text<topology::ClusterFile>(text, "fuzz");
    if (cluster.nodes > 64) return 0;  // what is built stays small
    cluster.node_specs = {small_node()};
    cluster.node_counts = {cluster.nodes};
    (void)topology::build_cluster(std::move(cluster));
  } catch (const InputError&) {
  }
  return 0;
}
