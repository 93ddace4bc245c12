#include "collectives/nccl/timing/machine.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "collectives/nccl/graph/local_nets.hpp"
#include "collectives/nccl/timing/mesh_load.hpp"
#include "topology/cluster/link_bandwidths.hpp"
#include "topology/node/node_graph.hpp"

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

/// The NICs of a shape by NCCL's net number, with their rates and those of their ports in GB/s.
struct Nic {
  int dev = 0;
  double rate = 0;
};
void add_nets(const std::vector<PcieSpec>& functions, std::vector<int>& devs) {
  for (const PcieSpec& function : functions) {
    for (const topology::NetSpec& net : function.nets) devs.push_back(net.dev);
    add_nets(function.children, devs);
  }
}
std::vector<Nic> nics_of(const MachineNodes& nodes) {
  std::vector<int> devs;
  for (const topology::CpuSpec& cpu : nodes.shape.spec().cpus) add_nets(cpu.pcie, devs);
  std::ranges::sort(devs);  // the order of the shape's NICs
  std::vector<Nic> nics;
  for (std::size_t i = 0; i < devs.size(); ++i) {
    double rate = nodes.shape.nic_rate(static_cast<int>(i)).gigabytes_per_second();
    if (i < nodes.port_rates.size()) rate = std::min(rate, nodes.port_rates[i]);
    nics.push_back({devs[i], rate});
  }
  return nics;
}

/// The net that a NIC is part of after fusion.
int fused_dev(int dev, const std::vector<FusedNet>& fused) {
  for (const FusedNet& one : fused)
    if (std::ranges::find(one.members, dev) != one.members.end()) return one.dev;
  return dev;
}

/// Indices of the participating GPUs in the node shape.
std::vector<int> gpus_of(const MachineNodes& nodes) {
  std::vector<int> found;
  const std::vector<int> numbers = topology::build_node_graph(nodes.shape.spec()).gpu_numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (nodes.gpus.empty() || std::ranges::find(nodes.gpus, numbers[i]) != nodes.gpus.end())
      found.push_back(static_cast<int>(i));
  return found;
}

/// The nets of the communicator's common channels, by the net numbers of these nodes.
std::set<int> used_nets(const Communicator& communicator, const MachineNodes& nodes) {
  const Graphs* const common = &communicator.graphs;
  std::set<int> used;
  for (const Graphs* graphs : nodes.graphs.empty() ? std::span(&common, 1) : nodes.graphs) {
    for (std::size_t id = 0; id < graphs->size(); ++id) {
      if (!(*graphs)[id] || !(*common)[id]) continue;
      const std::vector<GraphChannel>& orders = (*graphs)[id]->orders;
      const std::size_t channels = std::min(orders.size(), (*common)[id]->orders.size());
      for (std::size_t channel = 0; channel < channels; ++channel)
        for (const int net : {orders[channel].net_in, orders[channel].net_out})
          if (net >= 0) used.insert(net);
    }
  }
  return used;
}

/// Sets the rate and the number of the NICs that the graphs use. If the graphs list no NIC, all
/// NICs count.
void set_network(Machine& machine, const Communicator& communicator, const MachineNodes& nodes) {
  const std::set<int> used = used_nets(communicator, nodes);
  std::set<int> counted;
  std::vector<double> rates;
  for (const Nic& nic : nics_of(nodes)) {
    const int dev = fused_dev(nic.dev, communicator.fused_nets);
    const bool is_used = used.empty() || used.contains(dev);
    rates.push_back(is_used ? nic.rate : 0);
    machine.nics += rates.back();
    if (is_used) counted.insert(dev);
  }
  machine.nic_count = static_cast<int>(counted.size());
  machine.nic_limit = nic_limit(nodes.shape, gpus_of(nodes), rates);
}

bool is_nvlink(PathType type) { return type == PathType::nvl || type == PathType::nvb; }

bool goes_through_host(PathType type) {
  return type == PathType::phb || type == PathType::sys || type == PathType::p2c;
}

/// Sets how the GPUs of a node communicate: by NVLink or PCIe. Without a switch the ring's channels
/// limit the NVLink rate. With a switch a GPU reaches every peer over all its links, and the search
/// only rounds the rate down.
void set_links(Machine& machine, const Graph& ring, const NodeSpec& node) {
  const double nvlink = nvlink_of(node);
  machine.meets_over_nvlink = is_nvlink(ring.type_intra) && nvlink > 0;
  machine.through_host = goes_through_host(ring.type_intra);
  const bool is_switched = std::ranges::any_of(node.nvlinks, [](const auto& l) { return !l.peer; });
  const double covered = static_cast<double>(ring.channels) * ring.bandwidth_intra;
  machine.nvlink = is_switched ? nvlink : std::min(nvlink, covered);
}

/// The highest rates of the links inside the node.
void set_limits(Machine& machine, const MachineNodes& nodes) {
  const std::vector<int> gpus = gpus_of(nodes);
  std::array<std::vector<LinkUse>, 3> links;
  for (const NicRule rule : {NicRule::own, NicRule::relayed, NicRule::far})
    links[static_cast<std::size_t>(rule)] = exchange_links(nodes.shape, gpus, rule);
  machine.exchange_links = std::make_shared<const decltype(links)>(std::move(links));
  if (!machine.meets_over_nvlink) {
    machine.link_limit = ring_limit(nodes.shape, gpus).rate;
    return;
  }
  for (const topology::Link& link : nodes.shape.links()) {
    if (link.kind != topology::LinkKind::nvlink) continue;
    // All NVLinks of a node are of one kind.
    const double room = link.line_rate.bytes_per_second() / link.bandwidth.bytes_per_second();
    machine.link_limit = std::min(machine.link_limit, machine.nvlink * room);
  }
}

/// Sets the rates of sends: over the links between GPUs, and over the NICs that NCCL assigns to
/// them.
void set_exchange(Machine& machine, const System& system, const MachineNodes& nodes) {
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
  double own = 0, plugged = 0;
  for (std::size_t nic = 0; nic < nodes.port_rates.size(); ++nic) {
    const double rate = nodes.shape.nic_rate(static_cast<int>(nic)).gigabytes_per_second();
    own += rate;
    plugged += std::min(rate, nodes.port_rates[nic]);
  }
  if (own > 0) machine.exchange_nics *= plugged / own;
}

}  // namespace

double Machine::inner_rate() const {
  // A single GPU whose memory bandwidth is unknown has no limit inside the node.
  if (ranks_per_node() == 1) return memory > 0 ? memory : std::numeric_limits<double>::infinity();
  if (meets_over_nvlink) return std::min(nvlink * gpu.link_efficiency, link_limit);
  const double efficiency =
      through_host ? pcie_timing.host_efficiency : pcie_timing.switch_efficiency;
  return std::min(pcie * efficiency, link_limit);
}

Machine make_machine(const Communicator& communicator, const MachineNodes& nodes,
                     const topology::Timings& timings) {
  const NodeSpec& node = nodes.shape.spec();
  const std::span<const int> gpus = nodes.gpus;
  Machine machine;
  machine.ranks = communicator.ranks;
  machine.nodes = communicator.nodes;
  machine.gpu = timings.gpu;
  machine.fabric = timings.fabric;
  machine.pcie_timing = timings.pcie;
  machine.pcie = pcie_of(node);
  machine.memory = node.gpu.memory_bandwidth.gigabytes_per_second();
  if (machine.nodes > 1) set_network(machine, communicator, nodes);
  machine.channels = std::max(communicator.channels.collective, 1);
  machine.nvls_channels = communicator.channels.nvls;
  if (const auto& nvls = communicator.graph(GraphId::nvls)) machine.nvls_heads = nvls->channels;
  if (const auto& ring = communicator.graph(GraphId::ring)) set_links(machine, *ring, node);
  set_limits(machine, nodes);
  set_exchange(machine, gpus.empty() ? make_system(node) : make_system(node, gpus), nodes);
  // NCCL may treat a node as several nodes (node_split.hpp), which then share its NICs.
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
