#include "tests/collectives/nccl_systems.hpp"

#include <algorithm>
#include <array>

#include "topology/cluster/link_bandwidths.hpp"

namespace railyard::collectives::testing {
namespace {

using topology::NodeSpec;
using topology::PcieKind;
using topology::PcieSpec;

PcieSpec function(PcieKind kind, const std::string& speed) {
  PcieSpec made;
  made.kind = kind;
  made.link_speed = speed;
  return made;
}

PcieSpec gpu(int number, const std::string& speed) {
  PcieSpec made = function(PcieKind::gpu, speed);
  made.gpu = number;
  return made;
}

PcieSpec nic(int number, std::int64_t gigabits, const std::string& speed, bool sharp = false) {
  PcieSpec made = function(PcieKind::nic, speed);
  topology::NetSpec net;
  net.name = "nic" + std::to_string(number);
  net.dev = number;
  net.bandwidth = Bandwidth::gigabits_per_second(gigabits);
  net.in_network_reduction = sharp;
  made.nets = {net};
  return made;
}

NodeSpec two_sockets(int compute_capability, const std::string& vendor, int model) {
  NodeSpec node;
  node.name = "test";
  node.gpu.compute_capability = compute_capability;
  node.gpu.nvlink_bandwidth = topology::nvlink_bandwidth(compute_capability);
  for (int numa = 0; numa < 2; ++numa) {
    topology::CpuSpec cpu;
    cpu.numa = numa;
    cpu.vendor = vendor;
    cpu.family = vendor == "GenuineIntel" ? 6 : 23;
    cpu.model = model;
    node.cpus.push_back(cpu);
  }
  return node;
}

}  // namespace

NodeSpec switched_node(const SwitchedForm& form) {
  NodeSpec node = two_sockets(form.compute_capability, form.vendor, form.cpu_model);
  for (int first = 0; first < form.gpus; first += form.gpus_per_switch) {
    PcieSpec bridge = function(PcieKind::pcie_switch, form.pcie);
    for (int i = first; i < std::min(form.gpus, first + form.gpus_per_switch); ++i) {
      bridge.children.push_back(gpu(i, form.pcie));
      if (i < form.nics)
        bridge.children.push_back(nic(i, form.nic_gigabits, form.pcie, form.in_network_reduction));
      node.nvlinks.push_back({.gpu = i, .peer = {}, .count = form.nvlinks});
    }
    node.cpus[first < (form.gpus + 1) / 2 ? 0 : 1].pcie.push_back(bridge);
  }
  return node;
}

NodeSpec dgx1_v100() {
  NodeSpec node = two_sockets(70, "GenuineIntel", 79);
  const std::string gen3 = "8.0 GT/s PCIe";
  for (int i = 0; i < 4; ++i) {
    PcieSpec bridge = function(PcieKind::pcie_switch, gen3);
    bridge.children = {gpu(2 * i, gen3), gpu(2 * i + 1, gen3), nic(i, 100, gen3)};
    node.cpus[i < 2 ? 0 : 1].pcie.push_back(bridge);
  }
  // NVIDIA DGX-1 with Tesla V100 white paper, figure 4: links between GPUs, one or two.
  constexpr std::array<std::array<int, 8>, 8> links{{{0, 1, 1, 2, 2, 0, 0, 0},
                                                     {1, 0, 2, 1, 0, 2, 0, 0},
                                                     {1, 2, 0, 2, 0, 0, 1, 0},
                                                     {2, 1, 2, 0, 0, 0, 0, 1},
                                                     {2, 0, 0, 0, 0, 1, 1, 2},
                                                     {0, 2, 0, 0, 1, 0, 2, 1},
                                                     {0, 0, 1, 0, 1, 2, 0, 2},
                                                     {0, 0, 0, 1, 2, 1, 2, 0}}};
  for (std::size_t a = 0; a < links.size(); ++a)
    for (std::size_t b = 0; b < links.size(); ++b)
      if (links[a][b] > 0)
        node.nvlinks.push_back(
            {.gpu = static_cast<int>(a), .peer = static_cast<int>(b), .count = links[a][b]});
  return node;
}

NodeSpec pcie_node() {
  NodeSpec node = two_sockets(89, "GenuineIntel", 106);
  const std::string gen4 = "16.0 GT/s PCIe";
  for (int i = 0; i < 8; ++i) node.cpus[i < 4 ? 0 : 1].pcie.push_back(gpu(i, gen4));
  node.cpus[0].pcie.push_back(nic(0, 200, gen4));
  return node;
}

}  // namespace railyard::collectives::testing
