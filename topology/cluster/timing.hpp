#pragma once

#include "core/units.hpp"

/// The parameters of the model of NCCL's time (docs/models/nccl_time.md, which has the formulas):
/// software latencies, and the efficiency with which NCCL uses links. There is one set per GPU
/// generation, per kind of fabric and per kind of PCIe host. `railyard calibrate` fits them.
/// Efficiencies are ratios of the rates named in each comment.
namespace railyard::topology {

/// A time for each NCCL protocol.
struct ProtocolTimes {
  Time ll{}, ll128{}, simple{};
};

/// An efficiency for each NCCL protocol.
struct ProtocolRates {
  double ll = 0.5, ll128 = 0.92, simple = 1.0;
};

/// Parameters of a GPU generation (configs/generations/*.json, or "timing" in configs/gpus/*.json).
/// The default latencies and protocol efficiencies are those of NCCL 2.30.7 (src/graph/tuning.cc:
/// baseLat, hwLat of Ring over NVLink, protocol efficiencies).
struct GpuTiming {
  ProtocolTimes launch{.ll = Time::nanoseconds(6600),
                       .ll128 = Time::nanoseconds(14000),
                       .simple = Time::nanoseconds(8400)};  ///< from kernel start to the first step
  ProtocolTimes step{.ll = Time::nanoseconds(600),
                     .ll128 = Time::nanoseconds(1900),
                     .simple = Time::nanoseconds(3400)};  ///< one hop inside a node
  double link_efficiency = 1.0;    ///< rate of protocol Simple / NCCL's NVLink bandwidth
  double ll_efficiency = 0.5;      ///< rate of LL / rate of Simple
  double ll128_efficiency = 0.92;  ///< rate of LL128 / rate of Simple
  /// Rate of the tree kernels / rate of a Simple ring.
  ProtocolRates tree{.ll = 0.1, .ll128 = 0.4, .simple = 0.45};
  double tree_fill = 0.1;  ///< share of a chunk's time that each tree hop adds
  double tail = 0.4;       ///< share of a block's time that the final copy of a ring adds
  /// Launch time of NVLS and NVLSTree.
  Time nvls_launch = Time::microseconds(25);
  double nvls_efficiency = 1.3;        ///< bus bandwidth of NVLS / NVLink bandwidth
  Bytes nvls_chunk{16384};             ///< chunk size at which synchronisation doubles the time
  double nvls_fill = 1.5;              ///< rounds of chunks that fill the pipeline
  double nvls_tree_efficiency = 0.95;  ///< rate of NVLS within NVLSTree / rate of NVLS alone
  double nvls_tree_fill = 1.6;         ///< rounds of chunks that fill each level of NVLSTree
  /// Launch of all_to_all and send_recv with Simple.
  Time exchange_launch = Time::microseconds(14);
  Time exchange_launch_ll = Time::microseconds(8);  ///< launch of all_to_all and send_recv with LL
  Time exchange_peer = Time::nanoseconds(100);      ///< latency per peer of all_to_all in the node
  double exchange_efficiency = 0.9;     ///< all_to_all, send_recv: rate / rate of a Simple ring
  double exchange_ll_efficiency = 0.4;  ///< all_to_all, send_recv: rate of LL / rate of Simple
  double self_copy = 0.4;               ///< all_to_all: the copy of the own block, in block times
};

/// Parameters of a fabric (configs/fabrics/*.json by transport, or "fabric_timing" of a cluster).
struct FabricTiming {
  double efficiency = 0.95;  ///< rate of protocol Simple / rate of the NICs
  ProtocolTimes step{.ll = Time::nanoseconds(2700),
                     .ll128 = Time::nanoseconds(4000),
                     .simple = Time::nanoseconds(14000)};  ///< one ring hop between nodes
  double tree_step = 1.5;                     ///< time of a tree hop / time of a ring hop
  Time nvls_step = Time::nanoseconds(15000);  ///< one level of NVLSTree, up or down
  Time message = Time::nanoseconds(700);      ///< all_to_all: latency per peer on another node
  /// Round-trip time of the fabrics on which `step` was measured. A cluster whose links have a
  /// longer round trip adds the difference to each step. The default approximates 2 ports of 300 ns
  /// and 5 switches of 600 ns in both directions, 7.2 us.
  Time round_trip = Time::microseconds(8);
  /// The rate of one channel of a send between nodes (NCCL 2.30 src/graph/paths.cc,
  /// NCCL_P2P_PER_CHANNEL_NET_BW; 13.1 GB/s was measured in nccl#2409).
  Bandwidth exchange_channel = Bandwidth::gigabytes_per_second(14);
};

/// Parameters of a host whose GPUs communicate over PCIe.
struct PcieTiming {
  double switch_efficiency = 0.87;  ///< rate / PCIe rate, below one PCIe switch
  double host_efficiency = 0.52;    ///< rate / PCIe rate, through host memory
};

}  // namespace railyard::topology
