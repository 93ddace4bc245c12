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

/// What the time of a collective depends on beside what is asked. Bandwidths in GB/s (1e9).
struct Machine {
  int ranks = 1;
  int nodes = 1;
  bool meets_over_nvlink = true;  ///< the GPUs of a node; else PCIe
  bool through_host = false;      ///< over PCIe: by way of host memory
  double nvlink = 0;              ///< of a GPU, per direction, as NCCL counts it
  double pcie = 0;                ///< of a GPU's PCIe link, as NCCL counts it
  double memory = 0;              ///< of a GPU's memory
  double nics = 0;                ///< of a node's NICs that its channels use
  double exchange_nics = 0;       ///< of those that its GPUs send by, in all_to_all and send_recv
  int nic_count = 0;              ///< those NICs
  /// NVLinks without a switch: how much more than an even share of all of them the busiest one
  /// carries, of what an all_to_all and a send_recv send.
  double mesh_load = 1, pair_load = 1;
  /// What links carry at the very most (topology::Link::line_rate), GB/s: those of a GPU inside the
  /// node, and those from the GPUs to the node's NICs together. No fitted rate is beyond.
  double link_limit = std::numeric_limits<double>::infinity();
  NicLimit nic_limit{.rate = std::numeric_limits<double>::infinity()};
  /// By NicRule; shared by copies. nullptr: not known.
  std::shared_ptr<const std::array<std::vector<LinkUse>, 3>> exchange_links{};
  int channels = 1;  ///< collective ones
  int nvls_channels = 0;
  int nvls_heads = 0;
  std::int64_t exchange_ll_limit = 0;  ///< bytes to one peer up to which it goes by LL
  BufferSizes buffers{};               ///< of the connections of collectives
  P2pLimits sends{};                   ///< how sends are split
  RoundTrips round_trips{};            ///< of the network; zero: not known, nothing waits for it
  topology::GpuTiming gpu{};
  topology::FabricTiming fabric{};
  topology::PcieTiming pcie_timing{};

  [[nodiscard]] int ranks_per_node() const { return ranks / nodes; }
  /// What Simple gets of a GPU's links inside the node; of its memory where it is alone there.
  [[nodiscard]] double inner_rate() const;
  /// What a node gets of its NICs.
  [[nodiscard]] double network_rate() const {
    return std::min(nics * fabric.efficiency, nic_limit.rate);
  }
  /// Whether links inside the node hold its NICs back.
  [[nodiscard]] bool has_slow_way_to_nics() const {
    return nic_limit.rate < nics * fabric.efficiency;
  }
};

/// Equal nodes, of which a communicator uses some GPUs.
struct MachineNodes {
  const topology::NodeShape& shape;
  std::span<const int> gpus{};  ///< that take part: numbers in the node, in rank order; empty: all
  /// By NIC of the shape, GB/s: what the switch ports of the cluster carry; empty: NICs' rates.
  std::span<const double> port_rates{};
  /// The graphs that NCCL found on these nodes, whose nets are those of the shape: one, or one for
  /// each part of a split node. Empty: those of the communicator.
  std::span<const Graphs* const> graphs{};
};
/// The machine on which `communicator` lies.
[[nodiscard]] Machine make_machine(const Communicator& communicator, const MachineNodes& nodes,
                                   const topology::Timings& timings);

/// Sets what the environment says of buffers and of sends.
void set_buffers(Machine& machine, const Communicator& communicator, const P2pSettings& settings);

}  // namespace railyard::collectives::nccl
