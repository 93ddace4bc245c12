#pragma once

#include <string>

#include "core/config/fields.hpp"
#include "topology/cluster/timing.hpp"

namespace railyard::topology {

/// The contents of configs/generations/*.json.
struct GpuTimingFile {
  std::string name{}, source{};
  GpuTiming timing{};
};

/// The contents of configs/fabrics/*.json.
struct FabricTimingFile {
  std::string name{}, source{};
  FabricTiming timing{};
};

}  // namespace railyard::topology

namespace railyard {

template <>
struct core::Fields<topology::ProtocolTimes> {
  using T = topology::ProtocolTimes;
  static constexpr std::string_view name = "ProtocolTimes", doc = "A time for each NCCL protocol.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("ll", &T::ll, "protocol LL");
    field("ll128", &T::ll128, "protocol LL128");
    field("simple", &T::simple, "protocol Simple");
  }
};

template <>
struct core::Fields<topology::ProtocolRates> {
  using T = topology::ProtocolRates;
  static constexpr std::string_view name = "ProtocolRates",
                                    doc = "An efficiency for each NCCL protocol.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kRate{.minimum = 0.001, .maximum = 10};
    field("ll", &T::ll, kRate, "protocol LL");
    field("ll128", &T::ll128, kRate, "protocol LL128");
    field("simple", &T::simple, kRate, "protocol Simple");
  }
};

template <>
struct core::Fields<topology::GpuTiming> {
  using T = topology::GpuTiming;
  static constexpr std::string_view
      name = "GpuTiming",
      doc =
          "NCCL timing parameters of a GPU generation, fitted by railyard calibrate "
          "(docs/models/nccl_time.md). Default latencies and protocol efficiencies: NCCL 2.30.7, "
          "src/graph/tuning.cc.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kRate{.minimum = 0.001, .maximum = 10};
    constexpr core::FieldOptions kPart{.minimum = 0, .maximum = 10};
    field("launch", &T::launch, "latency from kernel start to the first step, by protocol");
    field("step", &T::step, "latency of one hop inside a node, by protocol");
    field("link_efficiency", &T::link_efficiency, kRate,
          "rate of protocol Simple / NVLink bandwidth in NCCL (src/graph/topo.h)");
    field("ll_efficiency", &T::ll_efficiency, kRate, "rate of LL / rate of Simple");
    field("ll128_efficiency", &T::ll128_efficiency, kRate, "rate of LL128 / rate of Simple");
    field("tree", &T::tree, "rate of the tree kernels / rate of a Simple ring, by protocol");
    field("tree_fill", &T::tree_fill, kPart, "pipeline fill of a tree: chunk times per hop");
    field("tail", &T::tail, kPart, "final copy of a ring, in block times");
    field("nvls_launch", &T::nvls_launch, "kernel launch of NVLS and NVLSTree");
    field("nvls_efficiency", &T::nvls_efficiency, kRate,
          "bus bandwidth of NVLS / NVLink bandwidth");
    field("nvls_chunk", &T::nvls_chunk,
          "chunk size at which synchronisation doubles the time of a chunk");
    field("nvls_fill", &T::nvls_fill, kPart, "pipeline fill of NVLS, in rounds of chunks");
    field("nvls_tree_efficiency", &T::nvls_tree_efficiency, kRate,
          "rate of NVLS within NVLSTree / rate of NVLS alone");
    field("nvls_tree_fill", &T::nvls_tree_fill, kPart,
          "pipeline fill of NVLSTree, in rounds of chunks per level");
    field("exchange_launch", &T::exchange_launch, "launch of all_to_all and send_recv with Simple");
    field("exchange_launch_ll", &T::exchange_launch_ll,
          "launch of all_to_all and send_recv with LL");
    field("exchange_peer", &T::exchange_peer, "all_to_all: latency per peer in the node");
    field("exchange_efficiency", &T::exchange_efficiency, kRate,
          "all_to_all, send_recv: rate / rate of a Simple ring");
    field("exchange_ll_efficiency", &T::exchange_ll_efficiency, kRate,
          "all_to_all, send_recv: rate of LL / rate of Simple");
    field("self_copy", &T::self_copy, kPart, "all_to_all: copy of the own block, in block times");
  }
};

template <>
struct core::Fields<topology::FabricTiming> {
  using T = topology::FabricTiming;
  static constexpr std::string_view name = "FabricTiming",
                                    doc =
                                        "NCCL timing parameters of a fabric, fitted by railyard "
                                        "calibrate (docs/models/nccl_time.md).";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kRate{.minimum = 0.001, .maximum = 10};
    field("efficiency", &T::efficiency, kRate, "rate of protocol Simple / rate of the NICs");
    field("step", &T::step, "latency of one ring hop between nodes, by protocol");
    field("tree_step", &T::tree_step, kRate, "latency of a tree hop / latency of a ring hop");
    field("nvls_step", &T::nvls_step, "latency of one level of NVLSTree, up or down");
    field("message", &T::message, "all_to_all: latency per peer on another node");
    field("round_trip", &T::round_trip,
          "round-trip time of the fabrics on which the steps were measured; longer paths add the "
          "difference");
    field("exchange_channel", &T::exchange_channel,
          "all_to_all, send_recv: rate of one channel between nodes, at most "
          "(NCCL_P2P_PER_CHANNEL_NET_BW in NCCL 2.30)");
  }
};

template <>
struct core::Fields<topology::GpuTimingFile> {
  using T = topology::GpuTimingFile;
  static constexpr std::string_view name = "GpuTimingFile", doc = "A generation of GPUs.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the generation");
    field("source", &T::source, "source of the values: document, page or measurement");
    field("timing", &T::timing, core::required, "NCCL timing parameters");
  }
};

template <>
struct core::Fields<topology::FabricTimingFile> {
  using T = topology::FabricTimingFile;
  static constexpr std::string_view name = "FabricTimingFile", doc = "A kind of fabric.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the kind of fabric");
    field("source", &T::source, "source of the values: document, page or measurement");
    field("timing", &T::timing, core::required, "NCCL timing parameters");
  }
};

template <>
struct core::Fields<topology::PcieTiming> {
  using T = topology::PcieTiming;
  static constexpr std::string_view
      name = "PcieTiming",
      doc = "NCCL efficiencies between GPUs over PCIe, fitted by railyard calibrate.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kRate{.minimum = 0.001, .maximum = 10};
    field("switch_efficiency", &T::switch_efficiency, kRate,
          "rate of protocol Simple / PCIe rate, between GPUs below one PCIe switch");
    field("host_efficiency", &T::host_efficiency, kRate,
          "rate of protocol Simple / PCIe rate, through host memory");
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<topology::ProtocolTimes>();
extern template const core::StructType& core::struct_type<topology::ProtocolRates>();
extern template const core::StructType& core::struct_type<topology::GpuTiming>();
extern template const core::StructType& core::struct_type<topology::FabricTiming>();
extern template const core::StructType& core::struct_type<topology::GpuTimingFile>();
extern template const core::StructType& core::struct_type<topology::FabricTimingFile>();
extern template const core::StructType& core::struct_type<topology::PcieTiming>();

}  // namespace railyard
