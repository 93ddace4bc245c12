#include "hw/probe/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/diagnostic.hpp"
#include "topology/cluster/link_bandwidths.hpp"
#include "topology/node/host_rank.hpp"
#include "topology/node/known_devices.hpp"

namespace railyard::hw {
namespace {

using topology::CpuSpec;
using topology::NodeSpec;
using topology::PcieKind;
using topology::PcieSpec;

/// The rate that NCCL assumes if an interface reports none (10 Gb/s, src/transport/net_socket /
/// misc/socket, 2.30.7).
constexpr Bandwidth kUnknownRate = Bandwidth::bits_per_second(10'000'000'000);

PcieSpec spec_of(const PciFunction& function, PcieKind kind) {
  PcieSpec spec;
  spec.kind = kind;
  spec.busid = function.address;
  spec.link_speed = function.link_speed;
  spec.link_width = function.link_width;
  spec.class_code = function.class_code;
  spec.vendor = function.vendor;
  spec.device = function.device;
  spec.subsystem_vendor = function.subsystem_vendor;
  spec.subsystem_device = function.subsystem_device;
  return spec;
}

class Describer {
 public:
  explicit Describer(const Machine& machine) : machine_(machine) {
    NodeSpec& node = described_.node;
    node.name = machine.host.empty() ? "host" : machine.host;
    node.source = "railyard probe: " +
                  (machine.processor.name.empty() ? "this machine" : machine.processor.name);
    for (const NumaDomain& numa : machine.numas) {
      CpuSpec cpu;
      cpu.numa = numa.number;
      cpu.affinity = numa.cpumap;
      cpu.arch = machine.processor.arch;
      cpu.vendor = machine.processor.vendor;
      cpu.family = machine.processor.family;
      cpu.model = machine.processor.model;
      node.cpus.push_back(std::move(cpu));
    }
  }

  NodeSpec& node() { return described_.node; }
  void note(std::string text) { described_.notes.push_back(std::move(text)); }
  DescribedNode take() { return std::move(described_); }

  CpuSpec& cpu(int numa) {
    const auto found = std::ranges::find(node().cpus, numa, &CpuSpec::numa);
    return found == node().cpus.end() ? node().cpus.front() : *found;
  }

  /// Adds a function below its switches. As in NCCL, a switch is represented by its upstream port.
  /// Above an endpoint are the root port and (upstream, downstream) of each switch.
  void hang(const PciFunction& function, PcieSpec spec) {
    std::vector<std::string> switches;
    for (std::size_t i = 1; i + 1 < function.above.size(); i += 2)
      switches.push_back(function.above[i]);
    std::vector<PcieSpec>* level = &cpu(function.numa).pcie;
    for (const std::string& address : switches) level = below(*level, address);
    level->push_back(std::move(spec));
  }

  /// NICs: verbs ports, or interfaces if there are none.
  void add_nics() {
    const bool verbs = std::ranges::any_of(machine_.ports, &NicPort::verbs);
    std::map<std::string, std::vector<const NicPort*>> by_function;
    std::vector<std::string> order;
    for (const NicPort& port : machine_.ports) {
      if (port.verbs != verbs) continue;
      const std::string key = port.address.empty() ? port.name : port.address;
      if (!by_function.contains(key)) order.push_back(key);
      by_function[key].push_back(&port);
    }
    for (const std::string& key : order) add_nic(by_function[key]);
    if (order.empty()) note("no NIC is up: the node has no network");
  }

 private:
  std::vector<PcieSpec>* below(std::vector<PcieSpec>& level, const std::string& address) {
    const auto found = std::ranges::find(level, address, &PcieSpec::busid);
    if (found != level.end()) return &found->children;
    const PciFunction* function = find_function(machine_, address);
    PciFunction unknown;
    unknown.address = address;
    level.push_back(spec_of(function == nullptr ? unknown : *function, PcieKind::pcie_switch));
    return &level.back().children;
  }

  void add_nic(const std::vector<const NicPort*>& ports) {
    const PciFunction* function = find_function(machine_, ports.front()->address);
    PcieSpec nic = spec_of(function == nullptr ? PciFunction{} : *function, PcieKind::nic);
    if (function == nullptr || function->link_speed.empty()) {
      // A virtual NIC has the bandwidth of memory to the CPU.
      nic.bandwidth = topology::virtual_nic_bandwidth();
      nic.link_speed.clear();
    }
    for (const NicPort* port : ports) {
      topology::NetSpec net;
      net.name = port->name;
      net.dev = nets_++;
      net.port = port->port;
      net.guid = port->guid;
      net.bandwidth = port->rate;
      net.gpu_direct = port->verbs;
      if (net.bandwidth == Bandwidth()) {
        net.bandwidth = kUnknownRate;
        note(fmt::format("{} does not report its rate: {} is assumed, as in NCCL", port->name,
                         core::to_text(kUnknownRate)));
      }
      nic.nets.push_back(std::move(net));
    }
    if (function == nullptr) {
      cpu(0).pcie.push_back(std::move(nic));
    } else {
      hang(*function, std::move(nic));
    }
  }

  const Machine& machine_;
  DescribedNode described_;
  int nets_ = 0;
};

/// The GPU type: the config in configs/gpus for its PCI id, or NVML's values.
topology::GpuSpec gpu_type(const Machine& machine, const std::vector<NvmlGpu>& gpus,
                           Describer& describer) {
  const NvmlGpu& first = gpus.front();
  for (const NvmlGpu& gpu : gpus) {
    if (gpu.name == first.name) continue;
    throw InputError("", "probe",
                     fmt::format("GPU {} is a '{}' and GPU {} a '{}': a node has one type of GPU",
                                 first.number, first.name, gpu.number, gpu.name),
                     "hide the others from NVML (CUDA_VISIBLE_DEVICES does not)");
  }
  topology::GpuSpec type;
  type.name = first.name;
  type.compute_capability = first.compute_capability;
  type.memory = first.memory;
  type.nvlink_bandwidth = topology::nvlink_bandwidth(first.compute_capability);
  const PciFunction* function = find_function(machine, first.address);
  const topology::KnownGpu* known =
      function == nullptr ? nullptr : topology::known_gpu(function->vendor, function->device);
  if (known != nullptr)
    type.name = known->name;
  else
    describer.note(fmt::format("the PCI id of GPU '{}' is not known to Railyard", first.name));
  return type;
}

void add_links(const std::vector<NvmlGpu>& gpus, Describer& describer) {
  for (const NvmlGpu& gpu : gpus) {
    for (const NvmlLinks& links : gpu.links) {
      topology::NvlinkSpec spec{.gpu = gpu.number, .peer = {}, .count = links.count};
      if (!links.peer.empty()) {
        const auto peer = std::ranges::find(gpus, links.peer, &NvmlGpu::address);
        if (peer == gpus.end()) {
          describer.note(
              fmt::format("NVLinks of GPU {} to {}, which NVML does not list, are left out",
                          gpu.number, links.peer));
          continue;
        }
        // Links are listed once for both directions.
        if (peer->number < gpu.number) continue;
        spec.peer = peer->number;
      }
      describer.node().nvlinks.push_back(spec);
    }
  }
}

}  // namespace

DescribedNode describe_gpu_node(const Machine& machine, const std::vector<NvmlGpu>& gpus) {
  Describer describer(machine);
  describer.node().gpu = gpu_type(machine, gpus, describer);
  for (const NvmlGpu& gpu : gpus) {
    const PciFunction* function = find_function(machine, gpu.address);
    PciFunction unknown;
    unknown.address = gpu.address;
    if (function == nullptr)
      describer.note(fmt::format("GPU {} at {} is not in /sys: its PCIe link is assumed Gen3 x16",
                                 gpu.number, gpu.address));
    PcieSpec spec = spec_of(function == nullptr ? unknown : *function, PcieKind::gpu);
    spec.gpu = gpu.number;
    describer.hang(function == nullptr ? unknown : *function, std::move(spec));
  }
  add_links(gpus, describer);
  describer.add_nics();
  return describer.take();
}

DescribedNode describe_host_node(const Machine& machine, int ranks, const MemoryRate& rate) {
  Describer describer(machine);
  topology::GpuSpec& type = describer.node().gpu;
  type.name = topology::kHostRank;
  type.source = fmt::format("railyard probe: {} cores copy {} together", rate.cores,
                            core::to_text(rate.all_cores));
  int cores = 0;
  for (const NumaDomain& numa : machine.numas) cores += numa.cores;
  int placed = 0;
  int seen = 0;
  for (const NumaDomain& numa : machine.numas) {
    seen += numa.cores;
    // Rounded; the last domain gets the rest.
    const int until = cores == 0 ? ranks : static_cast<int>(std::int64_t{ranks} * seen / cores);
    for (; placed < until; ++placed) {
      PcieSpec rank;
      rank.kind = PcieKind::gpu;
      rank.busid = fmt::format("ffff:{:02x}:{:02x}.0", placed / 32, placed % 32);
      rank.gpu = placed;
      rank.gpu_direct = false;
      rank.bandwidth = Bandwidth::bytes_per_second(
          static_cast<std::int64_t>(rate.all_cores.bytes_per_second() / ranks));
      describer.cpu(numa.number).pcie.push_back(std::move(rank));
    }
  }
  describer.add_nics();
  return describer.take();
}

}  // namespace railyard::hw
