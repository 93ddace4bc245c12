#include "apps/process_cluster.hpp"

#include <fmt/format.h>

namespace railyard::apps {

topology::Cluster process_cluster(int ranks) {
  using namespace literals;
  topology::NodeSpec node;
  node.name = "process";
  node.gpu.name = "thread";
  node.gpu.nvlink_bandwidth = 10_GBps;
  topology::CpuSpec cpu;
  for (int rank = 0; rank < ranks; ++rank) {
    topology::PcieSpec gpu;
    gpu.kind = topology::PcieKind::gpu;
    gpu.busid = fmt::format("{:04x}:00:00.0", rank);
    gpu.gpu = rank;
    cpu.pcie.push_back(std::move(gpu));
    node.nvlinks.push_back({.gpu = rank, .peer = {}, .count = 1});
  }
  node.cpus.push_back(std::move(cpu));
  topology::ClusterSpec spec;
  spec.name = "process";
  spec.node_specs.push_back(std::move(node));
  spec.node_counts.push_back(1);
  return topology::build_cluster(std::move(spec));
}

}  // namespace railyard::apps
