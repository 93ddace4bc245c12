#pragma once

#include <optional>
#include <string>

#include "core/config/fields.hpp"
#include "core/power.hpp"
#include "topology/cluster/link_bandwidths.hpp"
#include "topology/cluster/timing_fields.hpp"
#include "topology/cluster/topology_names.hpp"
#include "topology/node/compute_fields.hpp"
#include "topology/node/host_memory.hpp"
#include "topology/node/host_rank.hpp"
#include "topology/node/node_check.hpp"
#include "topology/node/node_spec.hpp"
#include "topology/node/price_spec.hpp"

namespace railyard::topology {

/// The contents of configs/gpus/*.json.
struct GpuFile : GpuSpec {
  std::string timing_of{};  ///< name in configs/generations; "": chosen by compute capability
  std::optional<GpuTiming> timing{};
  std::optional<ComputeSpec> compute{};  ///< needed by placement and training-step models
  std::optional<HostMemory> host_memory{};
  Power power{};                     ///< thermal design power; 0: unknown
  std::optional<PriceSpec> price{};  ///< price per hour
};

/// The contents of configs/nodes/*.json: a node that refers to its GPU by name.
struct NodeFile : NodeSpec {
  PcieTiming pcie_timing{};
  std::string gpu_name{};
};

}  // namespace railyard::topology

namespace railyard {

template <>
struct core::Fields<topology::HostMemory> {
  using T = topology::HostMemory;
  static constexpr std::string_view name = "HostMemory",
                                    doc = "What ranks on cores get out of their cache.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("cache", &T::cache, core::required, "last-level caches of all sockets together");
    field("bandwidth", &T::bandwidth, core::required,
          "of one rank to the cache while all are busy");
  }
};

template <>
struct core::Fields<topology::PriceSpec> {
  using T = topology::PriceSpec;
  static constexpr std::string_view name = "Price", doc = "What a GPU costs to use.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("per_hour", &T::per_hour,
          core::FieldOptions{.required = true, .minimum = 0.0001, .maximum = 1e6},
          "of a GPU for an hour, with its share of node and network");
    field("currency", &T::currency, core::required, "of the amount: USD");
    field("source", &T::source, core::required, "whose price it is");
  }
};

template <>
struct core::Fields<topology::GpuFile> {
  using T = topology::GpuFile;
  static constexpr std::string_view name = "Gpu", doc = "A GPU type.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "what it is called");
    field("source", &T::source, "where the numbers are from");
    field("compute_capability", &T::compute_capability,
          core::FieldOptions{.minimum = 0, .maximum = 200},
          "as NCCL writes it: 70 V100, 80 A100, 90 H100, 100 B200; needed unless the name is 'CPU "
          "rank': ranks on the host's cores");
    field("nvlink_bandwidth", &T::nvlink_bandwidth,
          "of one NVLink, per direction, as NCCL counts it; NCCL's table by compute capability "
          "where it is left out");
    field("memory", &T::memory, "what a model may fill");
    field("memory_bandwidth", &T::memory_bandwidth, "of the GPU's own memory");
    field("timing_of", &T::timing_of,
          "whose timing it has: a name in configs/generations; left out: by compute capability");
    field("timing", &T::timing, "what NCCL takes on it, instead of a file in configs/generations");
    field("compute", &T::compute, "peaks and efficiencies: read by place");
    field("host_memory", &T::host_memory,
          "ranks on cores: what the last-level cache adds; read by bench --predict");
    field("power", &T::power, "thermal design power: read by place --objective energy");
    field("price", &T::price, "of an hour: read by place --objective cost");
  }
  static void check(const T& gpu, core::Problems& problems) {
    constexpr int kOldest = 30;  // Kepler, the first that NCCL ran on
    if (!topology::is_host_rank(gpu) && gpu.compute_capability < kOldest)
      problems.add("compute_capability", "is missing, or below 30", "70 V100, 80 A100, 90 H100");
  }
};

template <>
struct core::Fields<topology::NetSpec> {
  using T = topology::NetSpec;
  static constexpr std::string_view name = "Net", doc = "A port of a NIC (NCCL's <net>).";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, "device name: mlx5_0");
    field("dev", &T::dev, core::FieldOptions{.required = true, .minimum = 0, .maximum = 1023},
          "NCCL's net number: 0, 1, ... through the node");
    field("bandwidth", &T::bandwidth, core::required, "of the port, per direction");
    field("port", &T::port, "port number of the device");
    field("guid", &T::guid, "ports of one guid share their bandwidth");
    field("latency", &T::latency, "what NCCL is told; 0 for InfiniBand and RoCE");
    field("max_connections", &T::max_connections, core::FieldOptions{.minimum = 1},
          "NCCL's maxconn");
    field("gpu_direct", &T::gpu_direct, "GPUDirect RDMA");
    field("in_network_reduction", &T::in_network_reduction, "SHARP capable (NCCL's coll)");
    field("rail", &T::rail, core::FieldOptions{.minimum = 0, .maximum = 1023},
          "rail number, where it is not dev");
    field("plane", &T::plane, core::FieldOptions{.minimum = 0, .maximum = 1023}, "plane number");
  }
};

template <>
struct core::Fields<topology::PcieSpec> {
  using T = topology::PcieSpec;
  static constexpr std::string_view name = "Pcie",
                                    doc = "A PCIe switch, GPU or NIC and its link up.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("kind", &T::kind, core::required, "what it is");
    field("busid", &T::busid, "PCI address: 0000:1b:00.0");
    field("link_speed", &T::link_speed, "as in sysfs: 32.0 GT/s PCIe; unknown counts as 8.0");
    field("link_width", &T::link_width, core::FieldOptions{.minimum = 0, .maximum = 32},
          "lanes; 0 is unknown and counts as 16");
    field("bandwidth", &T::bandwidth, "of the link, where it is not speed times width");
    field("class", &T::class_code, "PCI class: 0x030200");
    field("vendor", &T::vendor, "PCI id: 0x10de");
    field("device", &T::device, "PCI id");
    field("subsystem_vendor", &T::subsystem_vendor, "PCI id");
    field("subsystem_device", &T::subsystem_device, "PCI id");
    field("gpu", &T::gpu, core::FieldOptions{.minimum = 0}, "of a gpu: its number in the node");
    field("gpu_direct", &T::gpu_direct, "of a gpu: takes part in GPUDirect RDMA");
    field("nets", &T::nets, "of a nic: its ports");
    field("children", &T::children, "of a switch: what is below it");
  }
  static void check(const T& pcie, core::Problems& problems) {
    if (!pcie.link_speed.empty() && !topology::pcie_transfer_rate(pcie.link_speed))
      problems.add("link_speed", "'" + pcie.link_speed + "' is no speed of PCIe",
                   "2.5, 5.0, 8.0, 16.0, 32.0 or 64.0 GT/s PCIe");
  }
};

template <>
struct core::Fields<topology::CpuSpec> {
  using T = topology::CpuSpec;
  static constexpr std::string_view name = "Cpu",
                                    doc = "A NUMA domain with its PCIe tree (NCCL's <cpu>).";
  template <class Visitor>
  static void list(Visitor& field) {
    field("numa", &T::numa, core::FieldOptions{.minimum = 0}, "NUMA number in the node");
    field("host_hash", &T::host_hash, "tells hosts of one NVLink domain apart");
    field("affinity", &T::affinity, "mask of its cores");
    field("arch", &T::arch, "x86_64, arm64 or ppc64");
    field("vendor", &T::vendor, "GenuineIntel, AuthenticAMD, ...");
    field("family", &T::family, core::FieldOptions{.minimum = 0}, "CPU family");
    field("model", &T::model, core::FieldOptions{.minimum = 0}, "CPU model");
    field("pcie", &T::pcie, "what hangs below its root ports");
  }
};

template <>
struct core::Fields<topology::NvlinkSpec> {
  using T = topology::NvlinkSpec;
  static constexpr std::string_view name = "Nvlink", doc = "NVLinks from a GPU to one target.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("gpu", &T::gpu, core::FieldOptions{.required = true, .minimum = 0}, "number of the GPU");
    field("peer", &T::peer, core::FieldOptions{.minimum = 0},
          "the GPU at the other end; left out: the NVSwitch. One direction stands for both");
    field("count", &T::count, core::FieldOptions{.required = true, .minimum = 1}, "how many");
  }
};

template <>
struct core::Fields<topology::C2cSpec> {
  using T = topology::C2cSpec;
  static constexpr std::string_view name = "C2c", doc = "A coherent CPU-GPU link (NVLink-C2C).";
  template <class Visitor>
  static void list(Visitor& field) {
    field("gpu", &T::gpu, core::FieldOptions{.required = true, .minimum = 0}, "number of the GPU");
    field("numa", &T::numa, core::FieldOptions{.required = true, .minimum = 0}, "the CPU");
    field("bandwidth", &T::bandwidth, core::required, "per direction");
  }
};

template <>
struct core::Fields<topology::NodeFile> {
  using T = topology::NodeFile;
  static constexpr std::string_view name = "Node",
                                    doc = "One node: the devices of one NVLink domain.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "what it is called");
    field("source", &T::source, "where the numbers are from");
    field("gpu", &T::gpu_name, core::required, "name in configs/gpus, or a path");
    field("hosts", &T::hosts, core::FieldOptions{.minimum = 1},
          "operating systems that share the NVLink domain (in one copy)");
    field("cpus", &T::cpus, core::FieldOptions{.required = true, .min_items = 1}, "NUMA domains");
    field("socket_bandwidth", &T::socket_bandwidth,
          "between CPUs, per direction; left out: NCCL's table by vendor and model");
    field("nvlinks", &T::nvlinks, "NVLinks by GPU and target");
    field("c2c", &T::c2c, "coherent links between CPUs and GPUs");
    field("pcie_timing", &T::pcie_timing, "what NCCL gets out of PCIe between GPUs");
    field("repeat", &T::repeat, core::FieldOptions{.minimum = 1, .maximum = 1024},
          "the node is this many copies of what is written, each its own host, with the numbers of "
          "GPUs, nets and NUMA domains counted on");
  }
  static void check(const T& node, core::Problems& problems) {
    for (const topology::NodeProblem& problem : topology::check_node(node))
      problems.add(problem.pointer, problem.message, problem.hint);
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<topology::HostMemory>();
extern template const core::StructType& core::struct_type<topology::PriceSpec>();
extern template const core::StructType& core::struct_type<topology::GpuFile>();
extern template const core::StructType& core::struct_type<topology::NetSpec>();
extern template const core::StructType& core::struct_type<topology::PcieSpec>();
extern template const core::StructType& core::struct_type<topology::CpuSpec>();
extern template const core::StructType& core::struct_type<topology::NvlinkSpec>();
extern template const core::StructType& core::struct_type<topology::C2cSpec>();
extern template const core::StructType& core::struct_type<topology::NodeFile>();

}  // namespace railyard
