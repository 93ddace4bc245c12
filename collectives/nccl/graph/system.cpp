#include "collectives/nccl/graph/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

#include "collectives/nccl/graph/net_fusion.hpp"
#include "collectives/nccl/graph/system_builder.hpp"
#include "collectives/nccl/tuning/environment.hpp"
#include "core/diagnostic.hpp"
#include "topology/cluster/link_bandwidths.hpp"

namespace railyard::collectives::nccl {
namespace {

using topology::CpuSpec;
using topology::NodeSpec;
using topology::PcieKind;
using topology::PcieSpec;

float gigabytes(Bandwidth bandwidth) {
  return static_cast<float>(static_cast<double>(bandwidth.bits_per_second()) / 8e9);
}

CpuVendor vendor_of(const CpuSpec& cpu) {
  if (cpu.arch == "arm64") return CpuVendor::arm;
  if (cpu.vendor == "GenuineIntel") return CpuVendor::intel;
  if (cpu.vendor == "AuthenticAMD") return CpuVendor::amd;
  if (cpu.vendor == "CentaurHauls" || cpu.vendor == "  Shanghai  ") return CpuVendor::zhaoxin;
  return CpuVendor::other;
}

/// Walks a NodeSpec in the order in which NCCL walks its XML: the PCIe trees CPU by CPU, then
/// NVLinks, then C2C, then the links between CPUs.
class NodeReader {
 public:
  NodeReader(const NodeSpec& node, std::span<const int> gpus) : node_(node) {
    for (std::size_t rank = 0; rank < gpus.size(); ++rank)
      ranks_[gpus[rank]] = static_cast<int>(rank);
    note_first_gpus();
  }

  System read() && {
    for (const CpuSpec& cpu : node_.cpus) read_cpu(cpu);
    builder_.system().name = node_.name;
    builder_.system().nvlink_bandwidth = gigabytes(node_.gpu.nvlink_bandwidth);
    for (const auto& [gpu, dev] : dev_in_order_) add_nvlinks(gpu, dev);
    add_c2c();
    add_sockets();
    builder_.system().hosts = std::max(1, static_cast<int>(hosts_.size()));
    return std::move(builder_).finish();
  }

 private:
  int host_of(const CpuSpec& cpu) {
    if (node_.hosts == 1) return 0;
    return hosts_.try_emplace(cpu.host_hash, static_cast<int>(hosts_.size())).first->second;
  }

  /// GPUs are numbered across all hosts of a node. NCCL's dev is the number within the host.
  void note_first_gpus() {
    for (const CpuSpec& cpu : node_.cpus)
      for (const PcieSpec& function : cpu.pcie) note_first_gpu(function, host_of(cpu));
  }

  void note_first_gpu(const PcieSpec& function, int host) {
    if (function.gpu && node_.hosts > 1) {
      const auto [first, added] = first_gpu_.try_emplace(host, *function.gpu);
      if (!added) first->second = std::min(first->second, *function.gpu);
    }
    for (const PcieSpec& child : function.children) note_first_gpu(child, host);
  }

  void read_cpu(const CpuSpec& cpu) {
    host_ = host_of(cpu);
    const int vertex = builder_.add(VertexKind::cpu, host_);
    builder_.system().cpus.push_back({.vendor = vendor_of(cpu), .x86 = cpu.arch == "x86_64"});
    for (const PcieSpec& function : cpu.pcie) read_function(function, vertex, nullptr);
  }

  /// `above`: the parent switch or nullptr. Two levels of one Broadcom switch are merged.
  void read_function(const PcieSpec& function, int parent, const PcieSpec* above) {
    switch (function.kind) {
      case PcieKind::gpu: read_gpu(function, parent); break;
      case PcieKind::nic: read_nic(function, parent); break;
      case PcieKind::pcie_switch: read_switch(function, parent, above); break;
    }
  }

  void read_switch(const PcieSpec& function, int parent, const PcieSpec* above) {
    const int upper = above ? two_level_switch_generation(*above, 0) : 0;
    if (upper != 0 && two_level_switch_generation(function, 1) == upper) {
      for (const PcieSpec& child : function.children) read_function(child, parent, nullptr);
      return;
    }
    const int vertex = builder_.add(VertexKind::pci, host_);
    for (const PcieSpec& child : function.children) read_function(child, vertex, &function);
    connect_up(vertex, parent, function);
  }

  void connect_up(int vertex, int parent, const PcieSpec& function) {
    const float bandwidth = gigabytes(topology::pcie_bandwidth(function));
    builder_.connect_both(vertex, parent, PathType::pix, bandwidth);
    builder_.set_parent(vertex, parent);
  }

  void read_gpu(const PcieSpec& function, int parent) {
    const int number = function.gpu.value_or(0);
    const auto rank = ranks_.find(number);
    if (rank == ranks_.end()) return;
    const int dev = builder_.add(VertexKind::dev, host_);
    connect_up(dev, parent, function);
    const int gpu = builder_.add(VertexKind::gpu, host_);
    builder_.connect_both(dev, gpu, PathType::loc, kLocalBandwidth);
    const int first = node_.hosts > 1 ? first_gpu_[host_] : 0;
    builder_.system().gpus.push_back({.rank = rank->second,
                                      .dev = number - first,
                                      .compute_capability = node_.gpu.compute_capability,
                                      .gpu_direct = function.gpu_direct});
    devs_[number] = dev;
    dev_in_order_.emplace_back(number, dev);
  }

  void read_nic(const PcieSpec& function, int parent) {
    const int nic = builder_.add(VertexKind::nic, host_);
    for (const topology::NetSpec& net : function.nets) read_net(net, nic);
    connect_up(nic, parent, function);
  }

  void read_net(const topology::NetSpec& net, int nic) {
    // A port without a GUID counts as a NIC of its own (NCCL uses the net's number). No GUID is
    // this large.
    constexpr std::uint64_t kNoGuid = std::uint64_t{1} << 63;
    const int vertex = builder_.add(VertexKind::net, host_);
    const float bandwidth = gigabytes(net.bandwidth);
    builder_.connect_both(nic, vertex, PathType::net, bandwidth);
    builder_.system().nets.push_back({.dev = net.dev,
                                      .asic = net.guid.empty()
                                                  ? kNoGuid + static_cast<std::uint64_t>(vertex)
                                                  : std::strtoull(net.guid.c_str(), nullptr, 16),
                                      .port = net.port,
                                      .bandwidth = bandwidth,
                                      .latency = static_cast<float>(net.latency.microseconds()),
                                      .gpu_direct = net.gpu_direct,
                                      .in_network_reduction = net.in_network_reduction,
                                      .rail = net.rail.value_or(-1),
                                      .plane = net.plane.value_or(-1)});
  }

  void add_nvlinks(int gpu, int dev) {
    for (const topology::NvlinkSpec& link : node_.nvlinks) {
      if (link.gpu != gpu) continue;
      const float bandwidth = static_cast<float>(link.count) * builder_.system().nvlink_bandwidth;
      if (!link.peer) {
        if (nvswitch_ < 0) nvswitch_ = builder_.add(VertexKind::nvs, 0);
        builder_.connect_both(dev, nvswitch_, PathType::nvl, bandwidth);
      } else if (const auto peer = devs_.find(*link.peer); peer != devs_.end()) {
        builder_.connect(dev, peer->second, PathType::nvl, bandwidth);
        if (!is_listed(*link.peer, gpu))
          builder_.connect(peer->second, dev, PathType::nvl, bandwidth);
      }
    }
  }

  /// A link listed in one direction alone counts for both.
  [[nodiscard]] bool is_listed(int gpu, int peer) const {
    return std::ranges::any_of(node_.nvlinks, [&](const topology::NvlinkSpec& link) {
      return link.gpu == gpu && link.peer == peer;
    });
  }

  void add_c2c() {
    for (const topology::C2cSpec& c2c : node_.c2c) {
      const auto dev = devs_.find(c2c.gpu);
      const auto cpu = std::ranges::find(node_.cpus, c2c.numa, &CpuSpec::numa);
      if (dev == devs_.end() || cpu == node_.cpus.end()) continue;
      const int vertex =
          builder_.system().vertex(VertexKind::cpu, static_cast<int>(cpu - node_.cpus.begin()));
      builder_.connect_both(dev->second, vertex, PathType::c2c, gigabytes(c2c.bandwidth));
    }
  }

  void add_sockets() {
    const System& system = builder_.system();
    for (int a = 0; a < system.count(VertexKind::cpu); ++a) {
      for (int b = 0; b < system.count(VertexKind::cpu); ++b) {
        const int from = system.vertex(VertexKind::cpu, a), to = system.vertex(VertexKind::cpu, b);
        if (a == b || system[from].host != system[to].host) continue;
        const CpuSpec& cpu = node_.cpus[static_cast<std::size_t>(a)];
        const Bandwidth bandwidth =
            node_.socket_bandwidth.value_or(topology::socket_bandwidth(cpu));
        builder_.connect(from, to, PathType::sys, gigabytes(bandwidth));
      }
    }
  }

  const NodeSpec& node_;
  SystemBuilder builder_;
  std::map<int, int> ranks_;                       ///< by number of the GPU
  std::map<int, int> devs_;                        ///< by number of the GPU
  std::vector<std::pair<int, int>> dev_in_order_;  ///< (number, vertex)
  std::map<int, int> first_gpu_;                   ///< by host
  std::map<std::string, int> hosts_;               ///< by host_hash
  int host_ = 0;
  int nvswitch_ = -1;
};

std::vector<int> gpu_numbers(const std::vector<PcieSpec>& functions) {
  std::vector<int> found;
  for (const PcieSpec& function : functions) {
    if (function.kind == PcieKind::gpu) found.push_back(function.gpu.value_or(0));
    std::ranges::copy(gpu_numbers(function.children), std::back_inserter(found));
  }
  return found;
}

std::vector<int> gpu_numbers(const NodeSpec& node) {
  std::vector<int> found;
  for (const CpuSpec& cpu : node.cpus)
    std::ranges::copy(gpu_numbers(cpu.pcie), std::back_inserter(found));
  std::ranges::sort(found);
  return found;
}

}  // namespace

System make_system(const NodeSpec& node) { return make_system(node, gpu_numbers(node)); }

System make_system(const NodeSpec& node, std::span<const int> gpus) {
  const std::vector<int> present = gpu_numbers(node);
  Diagnostics problems("");
  if (gpus.empty()) problems.add("", fmt::format("node '{}': no GPU is asked for", node.name));
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (!std::ranges::binary_search(present, gpus[i]))
      problems.add("", fmt::format("node '{}' has no GPU {}", node.name, gpus[i]),
                   fmt::format("it has {}", present.size()));
    if (std::ranges::find(gpus.first(i), gpus[i]) != gpus.begin() + static_cast<std::ptrdiff_t>(i))
      problems.add("", fmt::format("GPU {} of node '{}' is listed twice", gpus[i], node.name));
  }
  problems.throw_if_any();
  return NodeReader(node, gpus).read();
}

System make_system(const NodeSpec& node, std::span<const int> gpus,
                   const SearchEnvironment& environment) {
  std::vector<FusedNet> fused = nets_to_fuse(node, environment);
  if (fused.empty()) return make_system(node, gpus);
  System system = make_system(fuse_nets(node, fused, environment.version), gpus);
  system.fused = std::move(fused);
  return system;
}

}  // namespace railyard::collectives::nccl
