#include "tests/collectives/test_clusters.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace railyard::collectives::testing {
namespace {

using namespace railyard::literals;

topology::PcieSpec make_nic(int number, bool in_network_reduction) {
  topology::NetSpec net;
  net.name = "nic" + std::to_string(number);
  net.dev = number;
  net.bandwidth = 400_Gbps;
  net.guid = "0x" + std::to_string(1000 + number);
  net.in_network_reduction = in_network_reduction;
  topology::PcieSpec nic;
  nic.kind = topology::PcieKind::nic;
  nic.link_speed = "32.0 GT/s PCIe";
  nic.nets = {net};
  return nic;
}

topology::PcieSpec make_gpu(int number) {
  topology::PcieSpec gpu;
  gpu.kind = topology::PcieKind::gpu;
  gpu.link_speed = "32.0 GT/s PCIe";
  gpu.gpu = number;
  return gpu;
}

topology::CpuSpec make_cpu(int numa) {
  topology::CpuSpec cpu;
  cpu.numa = numa;
  cpu.vendor = "GenuineIntel";
  cpu.family = 6;
  cpu.model = 143;
  return cpu;
}

}  // namespace

topology::NodeSpec make_node(const CanonicalNode& form) {
  topology::NodeSpec node;
  node.name = "test";
  node.gpu.name = "test";
  node.gpu.compute_capability = 90;
  node.gpu.nvlink_bandwidth = 20_GBps;
  node.cpus = {make_cpu(0), make_cpu(1)};
  const int switches = (form.gpus + form.gpus_per_switch - 1) / form.gpus_per_switch;
  int nic = 0;
  for (int i = 0; i < switches; ++i) {
    topology::PcieSpec pcie;
    for (int gpu = i * form.gpus_per_switch;
         gpu < std::min(form.gpus, (i + 1) * form.gpus_per_switch); ++gpu) {
      pcie.children.push_back(make_gpu(gpu));
    }
    for (; nic < form.nics * (i + 1) / switches; ++nic) {
      pcie.children.push_back(make_nic(nic, form.in_network_reduction));
    }
    node.cpus[i < (switches + 1) / 2 ? 0 : 1].pcie.push_back(std::move(pcie));
  }
  if (form.inside == CanonicalNode::Inside::mesh) node.nvlinks = form.mesh;
  for (int gpu = 0; form.inside == CanonicalNode::Inside::nvswitch && gpu < form.gpus; ++gpu) {
    node.nvlinks.push_back({.gpu = gpu, .peer = {}, .count = 18});
  }
  return node;
}

topology::Cluster make_cluster(const std::vector<CanonicalNode>& forms) {
  topology::ClusterSpec spec;
  spec.name = "test";
  for (const CanonicalNode& form : forms) {
    spec.node_specs.push_back(make_node(form));
    spec.node_counts.push_back(1);
    spec.groups.push_back({.node = "test", .count = 1});
  }
  spec.fabric.kind = topology::FabricKind::rail_clos;
  spec.fabric.tiers = 2;
  spec.fabric.nodes_per_unit = 2;
  return topology::build_cluster(std::move(spec));
}

topology::Cluster make_cluster(const CanonicalNode& form, int nodes) {
  topology::ClusterSpec spec;
  spec.name = "test";
  spec.node = "test";
  spec.nodes = nodes;
  spec.node_specs = {make_node(form)};
  spec.node_counts = {nodes};
  spec.fabric.kind = topology::FabricKind::rail_clos;
  spec.fabric.tiers = 2;
  spec.fabric.nodes_per_unit = 2;
  return topology::build_cluster(std::move(spec));
}

CanonicalNode cube_mesh() {
  // DGX-1 with Tesla V100 system architecture (NVIDIA WP-08437-002), figure 4: two fully joined
  // quads with two doubled edges per GPU, and GPU i doubled to i + 4 as drawn there.
  constexpr std::array<std::array<int, 3>, 16> kEdges{{{0, 1, 1},
                                                       {0, 2, 1},
                                                       {0, 3, 2},
                                                       {0, 4, 2},
                                                       {1, 2, 2},
                                                       {1, 3, 1},
                                                       {1, 5, 2},
                                                       {2, 3, 2},
                                                       {2, 6, 1},
                                                       {3, 7, 1},
                                                       {4, 5, 1},
                                                       {4, 6, 1},
                                                       {4, 7, 2},
                                                       {5, 6, 2},
                                                       {5, 7, 1},
                                                       {6, 7, 2}}};
  CanonicalNode form{
      .gpus = 8, .nics = 4, .inside = CanonicalNode::Inside::mesh, .gpus_per_switch = 2};
  for (const auto& [a, b, count] : kEdges) {
    form.mesh.push_back({.gpu = a, .peer = b, .count = count});
    form.mesh.push_back({.gpu = b, .peer = a, .count = count});
  }
  return form;
}

Request make_request(const topology::Cluster& cluster, Collective collective,
                     ScheduleOptions options) {
  return {.cluster = cluster,
          .group = std::make_shared<const Group>(Group::first(cluster, cluster.rank_count())),
          .collective = collective,
          .options = options};
}

Request make_request(const topology::Cluster& cluster, const std::vector<int>& ranks,
                     Collective collective, ScheduleOptions options) {
  std::vector<Rank> members;
  for (const int rank : ranks) members.emplace_back(rank);
  return {.cluster = cluster,
          .group = std::make_shared<const Group>(cluster, std::move(members)),
          .collective = collective,
          .options = options};
}

std::vector<Listed> list_transfers(const Schedule& schedule) {
  std::vector<Listed> listed;
  for (std::size_t c = 0; c < schedule.channels().size(); ++c) {
    const auto& loops = schedule.channels()[c].loops;
    for (std::size_t l = 0; l < loops.size(); ++l) {
      for (std::uint64_t k = 0; k < loops[l].repeat; ++k) {
        for (std::size_t s = 0; s < loops[l].steps.size(); ++s) {
          const Step& step = loops[l].steps[s];
          for (std::uint64_t i = 0; i < step.size(); ++i) {
            listed.push_back(
                {.channel = c, .loop = l, .iteration = k, .step = s, .transfer = step.at(i, k)});
          }
        }
      }
    }
  }
  return listed;
}

}  // namespace railyard::collectives::testing
