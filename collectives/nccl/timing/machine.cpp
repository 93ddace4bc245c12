#include "collectives/nccl/timing/machine.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "collectives/nccl/graph/local_nets.hpp"
#include "collectives/nccl/timing/mesh_load.hpp"
#include "topology/cluster/link_bandwidths.hpp"

namespace railyard::collectives::nccl {
namespace {

using topology::NodeSpec;
using topology::PcieKind;
using topology::PcieSpec;

/// NVLink of GPU 0 in GB/s, as NCCL counts it.
double nvlink_of(const NodeSpec& node) {
  int links = 0;
  for (const topology::NvlinkSpec& link : node.nvlinks)
    if (link.gpu == 0 || link.peer == 0) links += link.count;
  return links * node.gpu.nvlink_bandwidth.gigabytes_per_second();
}

/// The slowest PCIe link of a GPU, GB/s.
double pcie_of(const std::vector<PcieSpec>& functions) {
  double slowest = 0;
  for (const PcieSpec& function : functions) {
    const double rate = function.kind == PcieKind::gpu
                            ? topology::pcie_bandwidth(function).gigabytes_per_second()
                            : pcie_of(function.children);
    if (rate > 0) slowest = slowest > 0 ? std::min(slowest, rate) : rate;
  }
  return slowest;
}

double pcie_of(const NodeSpec& node) {
  double slowest = 0;
  for (const topology::CpuSpec& cpu : node.cpus) {
    const double rate = pcie_of(cpu.pcie);
    if (rate > 0) slowest = slowest > 0 ? std::min(slowest, rate) : rate;
  }
  return slowest;
}

/// Rates of a node's NIC ports by NCCL's net number, GB/s.
void add_nets(const std::vector<PcieSpec>& functions, std::vector<std::pair<int, double>>& nets) {
  for (const PcieSpec& function : functions) {
    for (const topology::NetSpec& net : function.nets)
      nets.emplace_back(net.dev, net.bandwidth.gigabytes_per_second());
    add_nets(function.children, nets);
  }
}

/// Fused ones are one, with the rates of all their members.
void fuse(std::vector<std::pair<int, double>>& nets, const std::vector<FusedNet>& fused) {
  for (const FusedNet& one : fused) {
    double rate = 0;
    std::erase_if(nets, [&](const auto& net) {
      if (std::ranges::find(one.members, net.first) == one.members.end()) return false;
      rate += net.second;
      return true;
    });
    nets.emplace_back(one.dev, rate);
  }
}

/// What the NICs carry that the graphs use, and their number; all of them where the graphs name
/// none.
void set_network(Machine& machine, const Communicator& communicator, const NodeSpec& node) {
  std::vector<std::pair<int, double>> nets;
  for (const topology::CpuSpec& cpu : node.cpus) add_nets(cpu.pcie, nets);
  fuse(nets, communicator.fused_nets);
  std::set<int> used;
  for (const auto& graph : communicator.graphs) {
    if (!graph) continue;
    for (const GraphChannel& channel : graph->orders)
      for (const int net : {channel.net_in, channel.net_out})
        if (net >= 0) used.insert(net);
  }
  for (const auto& [dev, rate] : nets) {
    if (!used.empty() && !used.contains(dev)) continue;
    machine.nics += rate;
    ++machine.nic_count;
  }
}

bool is_nvlink(PathType type) { return type == PathType::nvl || type == PathType::nvb; }

bool goes_through_host(PathType type) {
  return type == PathType::phb || type == PathType::sys || type == PathType::p2c;
}

/// How the GPUs of a node meet: NVLink as far as the ring's channels cover it (through a switch a
/// GPU has all its links at any peer; there the search only rounds them down), or PCIe.
void set_links(Machine& machine, const Graph& ring, const NodeSpec& node) {
  const double nvlink = nvlink_of(node);
  machine.meets_over_nvlink = is_nvlink(ring.type_intra) && nvlink > 0;
  machine.through_host = goes_through_host(ring.type_intra);
  const bool is_switched = std::ranges::any_of(node.nvlinks, [](const auto& l) { return !l.peer; });
  const double covered = static_cast<double>(ring.channels) * ring.bandwidth_intra;
  machine.nvlink = is_switched ? nvlink : std::min(nvlink, covered);
}

/// How sends leave the GPUs: over links between them, and by the NICs that NCCL gives them.
void set_exchange(Machine& machine, const System& system) {
  const Paths paths = compute_paths(system, {});
  const MeshLoad mesh = mesh_load(system, paths, machine.meets_over_nvlink ? machine.nvlink : 0);
  machine.mesh_load = mesh.all_to_all;
  machine.pair_load = mesh.next;
  if (machine.nodes == 1) return;
  std::set<int> used;
  for (int gpu = 0; gpu < system.gpu_count(); ++gpu)
    for (const int net : local_nets(system, paths, {}, gpu)) used.insert(net);
  for (const int net : used)
    machine.exchange_nics += system.nets[static_cast<std::size_t>(net)].bandwidth;
}

}  // namespace

double Machine::inner_rate() const {
  // Nothing inside the node holds a lone GPU back where its memory is not known.
  if (ranks_per_node() == 1) return memory > 0 ? memory : std::numeric_limits<double>::infinity();
  if (meets_over_nvlink) return nvlink * gpu.link_efficiency;
  return pcie * (through_host ? pcie_timing.host_efficiency : pcie_timing.switch_efficiency);
}

Machine make_machine(const Communicator& communicator, const NodeSpec& node,
                     const topology::Timings& timings, std::span<const int> gpus) {
  Machine machine;
  machine.ranks = communicator.ranks;
  machine.nodes = communicator.nodes;
  machine.gpu = timings.gpu;
  machine.fabric = timings.fabric;
  machine.pcie_timing = timings.pcie;
  machine.pcie = pcie_of(node);
  machine.memory = node.gpu.memory_bandwidth.gigabytes_per_second();
  if (machine.nodes > 1) set_network(machine, communicator, node);
  machine.channels = std::max(communicator.channels.collective, 1);
  machine.nvls_channels = communicator.channels.nvls;
  if (const auto& nvls = communicator.graph(GraphId::nvls)) machine.nvls_heads = nvls->channels;
  if (const auto& ring = communicator.graph(GraphId::ring)) set_links(machine, *ring, node);
  set_exchange(machine, gpus.empty() ? make_system(node) : make_system(node, gpus));
  // NCCL may take a node for several (node_split.hpp), which share its NICs.
  const auto present = gpus.empty() ? node.gpu_count() : static_cast<int>(gpus.size());
  if (const int own = communicator.ranks_per_node(); own > 0 && own < present)
    machine.exchange_nics *= static_cast<double>(own) / present;
  set_buffers(machine, communicator, {});
  return machine;
}

void set_buffers(Machine& machine, const Communicator& communicator, const P2pSettings& settings) {
  machine.buffers = settings.buffers;
  machine.sends = p2p_limits(communicator, settings);
  machine.exchange_ll_limit =
      settings.ll_threshold * std::max(communicator.channels.p2p_per_peer, 1);
}

}  // namespace railyard::collectives::nccl
