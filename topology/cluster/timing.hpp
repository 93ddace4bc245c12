#pragma once

#include "core/units.hpp"

/// How long NCCL's software takes on a machine, and what it gets out of the links: the parameters
/// of the time model (docs/models/nccl_time.md). One set per GPU generation, per kind of fabric and
/// per kind of PCIe host; `railyard calibrate` fits them.
namespace railyard::topology {

/// A time by NCCL protocol.
struct ProtocolTimes {
  Time ll{}, ll128{}, simple{};
};

/// An efficiency by NCCL protocol.
struct ProtocolRates {
  double ll = 0.5, ll128 = 0.92, simple = 1.0;
};

/// What a GPU generation brings (configs/gpus/*.json, "timing"). The defaults are those of NCCL's
/// tuning (2.30.7 src/graph/tuning.cc: baseLat, hwLat of Ring over NVLink, protocol efficiencies).
struct GpuTiming {
  ProtocolTimes launch{.ll = Time::nanoseconds(6600),
                       .ll128 = Time::nanoseconds(14000),
                       .simple = Time::nanoseconds(8400)};  ///< kernel start to first step
  ProtocolTimes step{.ll = Time::nanoseconds(600),
                     .ll128 = Time::nanoseconds(1900),
                     .simple = Time::nanoseconds(3400)};  ///< one hop inside a node
  double link_efficiency = 1.0;    ///< Simple over what NCCL counts of NVLink
  double ll_efficiency = 0.5;      ///< LL over Simple
  double ll128_efficiency = 0.92;  ///< LL128 over Simple
  ProtocolRates tree{.ll = 0.1, .ll128 = 0.4, .simple = 0.45};  ///< tree kernels over Simple
  double tree_fill = 0.1;  ///< of a chunk's time that each hop of a tree adds
  double tail = 0.4;       ///< of a block's time that the last copy of a ring adds
  Time nvls_launch = Time::microseconds(25);
  double nvls_efficiency = 1.3;        ///< bus bandwidth of NVLS over NVLink
  Bytes nvls_chunk{16384};             ///< at which synchronisation doubles a chunk's time
  double nvls_fill = 1.5;              ///< rounds of chunks before the pipeline is full
  double nvls_tree_efficiency = 0.95;  ///< NVLS under NVLSTree over NVLS alone
  double nvls_tree_fill = 1.6;         ///< rounds per level of NVLSTree
  Time exchange_launch = Time::microseconds(14);    ///< all_to_all and send_recv, Simple
  Time exchange_launch_ll = Time::microseconds(8);  ///< the same, LL
  Time exchange_peer = Time::nanoseconds(100);      ///< each peer of them
  double exchange_efficiency = 0.9;                 ///< their bandwidth over Simple's of a ring
  double exchange_ll_efficiency = 0.4;              ///< LL's over that
  double self_copy = 0.4;  ///< of a block's time that a rank's own block takes
};

/// What a fabric brings (configs/fabrics/*.json by transport, or a cluster's "fabric_timing").
struct FabricTiming {
  double efficiency = 0.95;  ///< of the NICs' rate
  ProtocolTimes step{.ll = Time::nanoseconds(2700),
                     .ll128 = Time::nanoseconds(4000),
                     .simple = Time::nanoseconds(14000)};  ///< one hop between nodes, of a ring
  double tree_step = 1.5;                                  ///< a tree's hop over a ring's
  Time nvls_step = Time::nanoseconds(15000);               ///< one level of NVLSTree, up or down
  Time message = Time::nanoseconds(700);  ///< each peer of another node in all_to_all
  /// There and back on the fabrics that the steps were measured on: what a cluster's own links take
  /// beyond it comes on top. 2 ports of 300 ns and 5 switches of 600 ns, both ways, are 7.2 us.
  Time round_trip = Time::microseconds(8);
  /// What one channel of a send gets (NCCL 2.30 src/graph/paths.cc, NCCL_P2P_PER_CHANNEL_NET_BW;
  /// measured 13.1 GB/s, nccl#2409).
  Bandwidth exchange_channel = Bandwidth::gigabytes_per_second(14);
};

/// What a host brings where GPUs meet over PCIe.
struct PcieTiming {
  double switch_efficiency = 0.87;  ///< of the link, below one PCIe switch
  double host_efficiency = 0.52;    ///< of the link, through host memory
};

}  // namespace railyard::topology
