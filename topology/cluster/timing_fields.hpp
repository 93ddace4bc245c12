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
  static constexpr std::string_view name = "ProtocolTimes", doc = "A time by NCCL protocol.";
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
  static constexpr std::string_view name = "ProtocolRates", doc = "An efficiency by NCCL protocol.";
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
  static constexpr std::string_view name = "GpuTiming",
                                    doc = "What NCCL takes on a GPU generation (nccl_time.md).";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kRate{.minimum = 0.001, .maximum = 10};
    constexpr core::FieldOptions kPart{.minimum = 0, .maximum = 10};
    field("launch", &T::launch, "from kernel start to the first step, by protocol");
    field("step", &T::step, "one hop inside a node, by protocol");
    field("link_efficiency", &T::link_efficiency, kRate,
          "protocol Simple over the NVLink bandwidth that NCCL counts");
    field("ll_efficiency", &T::ll_efficiency, kRate, "LL over Simple");
    field("ll128_efficiency", &T::ll128_efficiency, kRate, "LL128 over Simple");
    field("tree", &T::tree, "tree kernels over Simple of a ring, by protocol");
    field("tree_fill", &T::tree_fill, kPart, "of a chunk's time that each hop of a tree adds");
    field("tail", &T::tail, kPart, "of a block's time that the last copy of a ring adds");
    field("nvls_launch", &T::nvls_launch, "kernel start of NVLS and NVLSTree");
    field("nvls_efficiency", &T::nvls_efficiency, kRate, "bus bandwidth of NVLS over NVLink");
    field("nvls_chunk", &T::nvls_chunk, "size at which synchronisation doubles a chunk's time");
    field("nvls_fill", &T::nvls_fill, kPart, "rounds of chunks until the pipeline is full");
    field("nvls_tree_efficiency", &T::nvls_tree_efficiency, kRate,
          "NVLS inside NVLSTree over NVLS alone");
    field("nvls_tree_fill", &T::nvls_tree_fill, kPart, "rounds of chunks per level of NVLSTree");
    field("exchange_launch", &T::exchange_launch, "all_to_all and send_recv, Simple");
    field("exchange_launch_ll", &T::exchange_launch_ll, "all_to_all and send_recv, LL");
    field("exchange_peer", &T::exchange_peer, "each peer of all_to_all");
    field("exchange_efficiency", &T::exchange_efficiency, kRate,
          "bandwidth of all_to_all over that of a ring");
    field("exchange_ll_efficiency", &T::exchange_ll_efficiency, kRate,
          "LL of all_to_all over Simple");
    field("self_copy", &T::self_copy, kPart, "of a block's time that a rank's own block takes");
  }
};

template <>
struct core::Fields<topology::FabricTiming> {
  using T = topology::FabricTiming;
  static constexpr std::string_view name = "FabricTiming",
                                    doc = "What NCCL takes on a fabric (nccl_time.md).";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kRate{.minimum = 0.001, .maximum = 10};
    field("efficiency", &T::efficiency, kRate, "of the NICs' rate");
    field("step", &T::step, "one hop of a ring between nodes, by protocol");
    field("tree_step", &T::tree_step, kRate, "a tree's hop over a ring's");
    field("nvls_step", &T::nvls_step, "one level of NVLSTree, up or down");
    field("message", &T::message, "each peer of another node in all_to_all");
    field("round_trip", &T::round_trip,
          "there and back on the fabrics that the steps were measured on");
    field("exchange_channel", &T::exchange_channel,
          "what one channel of all_to_all and send_recv gets between nodes");
  }
};

template <>
struct core::Fields<topology::GpuTimingFile> {
  using T = topology::GpuTimingFile;
  static constexpr std::string_view name = "GpuTimingFile", doc = "A generation of GPUs.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "what it is called");
    field("source", &T::source, "where the numbers are from");
    field("timing", &T::timing, core::required, "what NCCL takes on it");
  }
};

template <>
struct core::Fields<topology::FabricTimingFile> {
  using T = topology::FabricTimingFile;
  static constexpr std::string_view name = "FabricTimingFile", doc = "A kind of fabric.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "what it is called");
    field("source", &T::source, "where the numbers are from");
    field("timing", &T::timing, core::required, "what NCCL takes on it");
  }
};

template <>
struct core::Fields<topology::PcieTiming> {
  using T = topology::PcieTiming;
  static constexpr std::string_view name = "PcieTiming",
                                    doc = "What NCCL gets out of PCIe between GPUs.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kRate{.minimum = 0.001, .maximum = 10};
    field("switch_efficiency", &T::switch_efficiency, kRate, "of the link, below one PCIe switch");
    field("host_efficiency", &T::host_efficiency, kRate, "of the link, through host memory");
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
