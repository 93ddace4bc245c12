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
                                    doc = "Last-level cache of a host whose CPU cores are ranks.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("cache", &T::cache, core::required, "total size of the last-level caches of all sockets");
    field("bandwidth", &T::bandwidth, core::required,
          "cache bandwidth of one rank while all ranks are busy");
  }
};

template <>
struct core::Fields<topology::PriceSpec> {
  using T = topology::PriceSpec;
  static constexpr std::string_view name = "Price", doc = "Price of using a GPU.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("per_hour", &T::per_hour,
          core::FieldOptions{.required = true, .minimum = 0.0001, .maximum = 1e6},
          "price of one GPU per hour, with its share of node and network");
    field("currency", &T::currency, core::required, "currency: USD, EUR, ...");
    field("source", &T::source, core::required, "provider or publication");
  }
};

template <>
struct core::Fields<topology::GpuFile> {
  using T = topology::GpuFile;
  static constexpr std::string_view name = "Gpu", doc = "A GPU type.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the GPU type");
    field("source", &T::source, "source of the values: document, page or measurement");
    field("compute_capability", &T::compute_capability,
          core::FieldOptions{.minimum = 0, .maximum = 200},
          "compute capability x 10, as in NCCL: 70 V100, 80 A100, 90 H100, 100 B200; required "
          "unless name is 'CPU rank' (ranks on CPU cores)");
    field("nvlink_bandwidth", &T::nvlink_bandwidth,
          "bandwidth of one NVLink in NCCL, per direction; left out: by compute capability "
          "(src/graph/topo.h)");
    field("memory", &T::memory, "GPU memory available to a model");
    field("memory_bandwidth", &T::memory_bandwidth, "bandwidth of the GPU memory");
    field("timing_of", &T::timing_of,
          "fitted NCCL timing: a name in configs/generations; left out: by compute capability");
    field("timing", &T::timing, "fitted NCCL timing, instead of a file in configs/generations");
    field("compute", &T::compute, "compute peaks and efficiencies, for place");
    field("host_memory", &T::host_memory,
          "last-level cache, if ranks are CPU cores; for bench --predict");
    field("power", &T::power, "thermal design power, for place --objective energy");
    field("price", &T::price, "price per hour, for place --objective cost");
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
  static constexpr std::string_view name = "Net", doc = "A port of a NIC (<net> in NCCL XML).";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, "device name: mlx5_0");
    field("dev", &T::dev, core::FieldOptions{.required = true, .minimum = 0, .maximum = 1023},
          "net number in NCCL: 0, 1, ... within the node");
    field("bandwidth", &T::bandwidth, core::required, "bandwidth of the port, per direction");
    field("port", &T::port, "port number of the device");
    field("guid", &T::guid, "GUID of the NIC; ports with the same GUID share their bandwidth");
    field("latency", &T::latency, "latency in the NCCL topology; 0 for InfiniBand and RoCE");
    field("max_connections", &T::max_connections, core::FieldOptions{.minimum = 1},
          "maxconn of the NCCL topology");
    field("gpu_direct", &T::gpu_direct, "supports GPUDirect RDMA");
    field("in_network_reduction", &T::in_network_reduction,
          "supports in-network reduction such as SHARP (coll of the NCCL topology)");
    field("rail", &T::rail, core::FieldOptions{.minimum = 0, .maximum = 1023},
          "rail number; left out: dev");
    field("plane", &T::plane, core::FieldOptions{.minimum = 0, .maximum = 1023}, "plane number");
  }
};

template <>
struct core::Fields<topology::PcieSpec> {
  using T = topology::PcieSpec;
  static constexpr std::string_view name = "Pcie",
                                    doc = "A PCIe switch, GPU or NIC and its link to the parent.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("kind", &T::kind, core::required, "kind of device");
    field("busid", &T::busid, "PCI address: 0000:1b:00.0");
    field(
        "link_speed", &T::link_speed,
        "speed of the link to the parent, as in sysfs: 32.0 GT/s PCIe; left out: NCCL assumes 8.0");
    field("link_width", &T::link_width, core::FieldOptions{.minimum = 0, .maximum = 32},
          "lanes of that link; 0: unknown, NCCL assumes 16");
    field("bandwidth", &T::bandwidth,
          "bandwidth of that link, per direction; left out: from speed and width");
    field("class", &T::class_code, "PCI class: 0x030200");
    field("vendor", &T::vendor, "PCI vendor id: 0x10de");
    field("device", &T::device, "PCI device id");
    field("subsystem_vendor", &T::subsystem_vendor, "PCI subsystem vendor id");
    field("subsystem_device", &T::subsystem_device, "PCI subsystem device id");
    field("gpu", &T::gpu, core::FieldOptions{.minimum = 0},
          "kind gpu: number in the node (NVML index)");
    field("gpu_direct", &T::gpu_direct, "kind gpu: supports GPUDirect RDMA");
    field("nets", &T::nets, "kind nic: its ports");
    field("children", &T::children, "kind switch: devices below it");
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
                                    doc = "A NUMA domain with its PCIe tree (<cpu> in NCCL XML).";
  template <class Visitor>
  static void list(Visitor& field) {
    field("numa", &T::numa, core::FieldOptions{.minimum = 0}, "NUMA number in the node");
    field("host_hash", &T::host_hash,
          "identifies the host; NUMA domains of one host have the same value");
    field("affinity", &T::affinity, "CPU mask of its cores");
    field("arch", &T::arch, "architecture: x86_64, arm64 or ppc64");
    field("vendor", &T::vendor, "CPU vendor: GenuineIntel, AuthenticAMD, ...");
    field("family", &T::family, core::FieldOptions{.minimum = 0}, "CPU family");
    field("model", &T::model, core::FieldOptions{.minimum = 0}, "CPU model");
    field("pcie", &T::pcie, "PCIe devices at its root ports");
  }
};

template <>
struct core::Fields<topology::NvlinkSpec> {
  using T = topology::NvlinkSpec;
  static constexpr std::string_view name = "Nvlink",
                                    doc = "NVLinks from a GPU to another GPU or to the NVSwitch.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("gpu", &T::gpu, core::FieldOptions{.required = true, .minimum = 0}, "number of the GPU");
    field("peer", &T::peer, core::FieldOptions{.minimum = 0},
          "number of the GPU at the other end; left out: the NVSwitch. A link is listed once for "
          "both directions");
    field("count", &T::count, core::FieldOptions{.required = true, .minimum = 1},
          "number of NVLinks");
  }
};

template <>
struct core::Fields<topology::C2cSpec> {
  using T = topology::C2cSpec;
  static constexpr std::string_view name = "C2c", doc = "A coherent CPU-GPU link (NVLink-C2C).";
  template <class Visitor>
  static void list(Visitor& field) {
    field("gpu", &T::gpu, core::FieldOptions{.required = true, .minimum = 0}, "number of the GPU");
    field("numa", &T::numa, core::FieldOptions{.required = true, .minimum = 0},
          "NUMA number of the CPU");
    field("bandwidth", &T::bandwidth, core::required, "bandwidth per direction");
  }
};

template <>
struct core::Fields<topology::NodeFile> {
  using T = topology::NodeFile;
  static constexpr std::string_view name = "Node",
                                    doc = "A node: the devices of one NVLink domain.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the node type");
    field("source", &T::source, "source of the values: document, page or measurement");
    field("gpu", &T::gpu_name, core::required, "name in configs/gpus, or a path");
    field("hosts", &T::hosts, core::FieldOptions{.minimum = 1},
          "hosts (operating systems) in the NVLink domain, before repeat");
    field("cpus", &T::cpus, core::FieldOptions{.required = true, .min_items = 1},
          "NUMA domains with their PCIe devices");
    field("socket_bandwidth", &T::socket_bandwidth,
          "bandwidth between CPUs, per direction; left out: by vendor and model as in NCCL");
    field("nvlinks", &T::nvlinks, "NVLinks");
    field("c2c", &T::c2c, "NVLink-C2C links between CPUs and GPUs");
    field("pcie_timing", &T::pcie_timing, "efficiencies of NCCL between GPUs over PCIe");
    field("repeat", &T::repeat, core::FieldOptions{.minimum = 1, .maximum = 1024},
          "number of copies of the devices in this file. Each copy is a host; numbers of GPUs, "
          "nets and NUMA domains continue from the previous copy");
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
