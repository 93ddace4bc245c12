#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "collectives/nccl/graph/graph.hpp"
#include "collectives/nccl/timing/node_links.hpp"
#include "collectives/nccl/timing/p2p_plan.hpp"
#include "collectives/nccl/timing/round_trips.hpp"
#include "topology/cluster/read_timings.hpp"
#include "topology/node/node_paths.hpp"

namespace railyard::collectives::nccl {

/// The properties of a machine that determine the time of a collective. Bandwidths are in GB/s (1e9
/// B/s).
struct Machine {
  int ranks = 1;
  int nodes = 1;
  bool meets_over_nvlink = true;  ///< GPUs of a node communicate over NVLink; otherwise over PCIe
  bool through_host = false;      ///< over PCIe: through host memory
  double nvlink = 0;              ///< per GPU and direction, as NCCL counts it
  double pcie = 0;                ///< PCIe link of a GPU, as NCCL counts it
  double memory = 0;              ///< memory of a GPU
  double nics = 0;                ///< total of the node's NICs that channels use
  double exchange_nics = 0;  ///< total of the NICs by which GPUs send in all_to_all and send_recv
  int nic_count = 0;         ///< number of those NICs
  /// For all_to_all and send_recv over NVLinks without a switch: load of the busiest NVLink / mean
  /// load (MeshLoad).
  double mesh_load = 1, pair_load = 1;
  /// Upper limits from line rates (topology::Link::line_rate), in GB/s: of the links of a GPU
  /// inside the node, and of all links from the GPUs to the node's NICs. No fitted rate exceeds
  /// them.
  double link_limit = std::numeric_limits<double>::infinity();
  NicLimit nic_limit{.rate = std::numeric_limits<double>::infinity()};
  /// Link loads of an all_to_all, by NicRule. Copies of the machine share it. nullptr: unknown.
  std::shared_ptr<const std::array<std::vector<LinkUse>, 3>> exchange_links{};
  int channels = 1;  ///< of collectives
  int nvls_channels = 0;
  int nvls_heads = 0;
  std::int64_t exchange_ll_limit = 0;  ///< largest send to one peer by LL, in bytes
  BufferSizes buffers{};               ///< of the connections of collectives
  P2pLimits sends{};                   ///< how sends are split
  RoundTrips round_trips{};            ///< of the network; zero: unknown, senders then never wait
  topology::GpuTiming gpu{};
  topology::FabricTiming fabric{};
  topology::PcieTiming pcie_timing{};

  [[nodiscard]] int ranks_per_node() const { return ranks / nodes; }
  /// The rate of Simple over a GPU's links inside the node; for a single GPU, of its memory.
  [[nodiscard]] double inner_rate() const;
  /// The rate of a node's NICs.
  [[nodiscard]] double network_rate() const {
    return std::min(nics * fabric.efficiency, nic_limit.rate);
  }
  /// Whether links inside the node are slower than its NICs.
  [[nodiscard]] bool has_slow_way_to_nics() const {
    return nic_limit.rate < nics * fabric.efficiency;
  }
};

/// Nodes of one kind, and the GPUs of each that a communicator uses.
struct MachineNodes {
  const topology::NodeShape& shape;
  std::span<const int> gpus{};  ///< used GPUs, by number in the node and in rank order; empty: all
  /// Rates of the cluster's switch ports in GB/s, by NIC of the shape; empty: rates of the NICs.
  std::span<const double> port_rates{};
  /// The graphs that NCCL found on these nodes, with net numbers of the shape: one, or one for each
  /// part of a split node. Empty: all nodes have the graphs of the communicator.
  std::span<const Graphs* const> graphs{};
};
/// The machine of `communicator`.
[[nodiscard]] Machine make_machine(const Communicator& communicator, const MachineNodes& nodes,
                                   const topology::Timings& timings);

/// Applies the environment's settings for buffers and sends.
void set_buffers(Machine& machine, const Communicator& communicator, const P2pSettings& settings);

}  // namespace railyard::collectives::nccl
