#include "placement/cost/closed_form.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/diagnostic.hpp"
#include "topology/cluster/link_bandwidths.hpp"

namespace railyard::placement {
namespace {

using collectives::Kind;

/// A protocol's latencies, and the fraction of the bandwidth that is payload (NCCL 2.30
/// src/graph/tuning.cc: LL 4 of 8 bytes, LL128 120 of 128).
struct ProtocolTerms {
  const topology::StepOverheads* overheads;
  double payload;
};

/// Inputs of the formulas for one protocol; rates in bytes/s, results in seconds.
struct Terms {
  const GroupShape& shape;
  double bytes, nvlink, network;  ///< rates of one member's channel, inside a node and between
                                  ///< nodes
  double nic;
  ProtocolTerms protocol;

  [[nodiscard]] double n() const { return shape.size; }
  [[nodiscard]] double nodes() const { return shape.nodes(); }
  [[nodiscard]] double rate() const {
    return protocol.payload * (nodes() > 1 ? std::min(nvlink, network) : nvlink);
  }
  [[nodiscard]] double launch() const { return protocol.overheads->launch.seconds(); }
  /// Latency of the n - 1 steps of a ring: one step less than once around.
  [[nodiscard]] double round() const {
    const double crossings = nodes() > 1 ? nodes() : 0;
    const double inside = std::max(0.0, n() - 1 - crossings);
    return inside * protocol.overheads->nvlink.seconds() +
           std::min(crossings, n() - 1) * protocol.overheads->network.seconds();
  }
};

double ring_all_reduce(const Terms& t) {
  return t.launch() + 2 * t.round() + 2 * (t.n() - 1) / t.n() * t.bytes / t.rate();
}

/// NCCL's double binary tree over nodes with chains inside nodes; all bytes go up and down. Traffic
/// in units of the buffer: a GPU in the middle of a chain sends 2, at its end 1. Each of the two
/// trees has half of the bytes; a node is an inner node of one (3/2) and a leaf of the other (1/2),
/// so its NICs send 2. With two nodes each is a root and a leaf: 1. With three, inner nodes have
/// one child: 3/2.
double tree_all_reduce(const Terms& t) {
  if (t.nodes() < 2) return std::numeric_limits<double>::infinity();
  const auto& o = *t.protocol.overheads;
  const double inside = (t.shape.per_node - 1) * o.nvlink.seconds();
  const double latency = 2 * (inside + std::log2(t.nodes()) * o.network.seconds());
  const double sent = std::max(std::min(2.0, t.nodes() / 2) / t.network,
                               std::min(2.0, t.shape.per_node - 1.0) / t.nvlink);
  // 0.92: NCCL's efficiency factor of trees (src/graph/tuning.cc).
  return t.launch() + latency + sent * t.bytes / (0.92 * t.protocol.payload);
}

double ring_one_way(const Terms& t) {
  return t.launch() + t.round() + (t.n() - 1) / t.n() * t.bytes / t.rate();
}

double all_to_all(const Terms& t) {
  const double q = t.shape.per_node, n = t.n();
  const double inside = (q - 1) / n * t.bytes / (t.nvlink * t.protocol.payload);
  const double outside = (n - q) / n * t.bytes / (t.network / q * t.protocol.payload);
  const auto& o = *t.protocol.overheads;
  const double latency = t.nodes() > 1 ? o.network.seconds() : o.nvlink.seconds();
  return t.launch() + latency + std::max(inside, outside);
}

double send_recv(const Terms& t) {
  const auto& o = *t.protocol.overheads;
  if (t.nodes() == 1)
    return o.launch.seconds() + o.nvlink.seconds() + t.bytes / (t.nvlink * t.protocol.payload);
  // One member of each node sends to the next node, over one NIC.
  const double rate = std::min(t.nic, t.network) * t.protocol.payload;
  return o.launch.seconds() + o.network.seconds() + t.bytes / rate;
}

double seconds(Kind kind, const Terms& t) {
  switch (kind) {
    case Kind::all_reduce: return std::min(ring_all_reduce(t), tree_all_reduce(t));
    case Kind::all_to_all: return all_to_all(t);
    case Kind::send_recv: return send_recv(t);
    case Kind::all_gather:
    case Kind::reduce_scatter:
    case Kind::broadcast:
    case Kind::reduce: break;
  }
  return ring_one_way(t);
}

/// The slowest PCIe link of any GPU; nothing if no GPU is on PCIe.
std::optional<Bandwidth> slowest_gpu_link(const std::vector<topology::PcieSpec>& functions) {
  std::optional<Bandwidth> slowest;
  const auto take = [&](std::optional<Bandwidth> link) {
    if (link && (!slowest || *link < *slowest)) slowest = link;
  };
  for (const topology::PcieSpec& function : functions) {
    if (function.gpu) take(topology::pcie_bandwidth(function));
    take(slowest_gpu_link(function.children));
  }
  return slowest;
}

/// Bandwidth of a GPU's NVLinks. Without NVLink the slowest link of a ring over the node: PCIe, or
/// the link between sockets.
Bandwidth between_gpus(const topology::NodeSpec& node) {
  int links = 0;
  for (const topology::NvlinkSpec& link : node.nvlinks)
    if (link.gpu == 0 || link.peer == 0) links += link.count;
  if (links > 0) return node.gpu.nvlink_bandwidth * links;
  std::optional<Bandwidth> slowest;
  int sockets = 0;
  for (const topology::CpuSpec& cpu : node.cpus) {
    const std::optional<Bandwidth> link = slowest_gpu_link(cpu.pcie);
    if (!link) continue;
    ++sockets;
    if (!slowest || *link < *slowest) slowest = link;
    if (sockets > 1) slowest = std::min(*slowest, topology::socket_bandwidth(cpu));
  }
  return slowest.value_or(Bandwidth());
}

}  // namespace

NodeFabric node_fabric(const topology::Cluster& cluster) {
  if (cluster.shapes().size() != 1)
    throw InputError("", "/groups", "a closed form needs nodes of one kind", "use an engine");
  return node_fabric(cluster.spec().node_specs.front(), cluster.spec().overheads);
}

NodeFabric node_fabric(const topology::NodeSpec& node,
                       const topology::ProtocolOverheads& overheads) {
  NodeFabric fabric{.gpus_per_node = static_cast<std::uint32_t>(node.gpu_count()),
                    .overheads = overheads};
  fabric.nvlink = between_gpus(node);
  for (const topology::CpuSpec& cpu : node.cpus) {
    const auto add = [&](const auto& self,
                         const std::vector<topology::PcieSpec>& children) -> void {
      for (const topology::PcieSpec& child : children) {
        for (const topology::NetSpec& net : child.nets) {
          fabric.nics += net.bandwidth;
          ++fabric.nic_count;
        }
        self(self, child.children);
      }
    };
    add(add, cpu.pcie);
  }
  fabric.nic_count = std::max(1U, fabric.nic_count);
  return fabric;
}

Time ClosedForm::time(const GroupCollective& collective) const {
  const auto& [kind, role, shape, bytes] = collective;
  if (shape.size < 2 || !(bytes > 0)) return Time();
  const auto& o = fabric_.overheads;
  const std::array protocols{ProtocolTerms{&o.ll, 0.5}, ProtocolTerms{&o.ll128, 0.92},
                             ProtocolTerms{&o.simple, 1.0}};
  const double nics = fabric_.nics.bytes_per_second();
  double best = std::numeric_limits<double>::infinity();
  for (const ProtocolTerms& protocol : protocols) {
    const Terms terms{.shape = shape,
                      .bytes = bytes,
                      .nvlink = fabric_.nvlink.bytes_per_second(),
                      .network = nics / shape.beside,
                      .nic = nics / fabric_.nic_count,
                      .protocol = protocol};
    best = std::min(best, seconds(kind, terms));
  }
  return Time::from_seconds(best);
}

}  // namespace railyard::placement
