#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace railyard::topology {

/// A GPU type (configs/gpus/*.json): the properties that the network models need. GpuFile adds
/// those for placement.
struct GpuSpec {
  std::string name{};
  std::string source{};
  int compute_capability = 0;    ///< NCCL's "sm": 70 V100, 80 A100, 90 H100, 100 B200
  Bandwidth nvlink_bandwidth{};  ///< NCCL's value for one NVLink, per direction
  Bytes memory{};
  Bandwidth memory_bandwidth{};
};

/// A port of a NIC, with the attributes of <net> in NCCL's XML.
struct NetSpec {
  std::string name{};  ///< "mlx5_0"
  int dev = 0;         ///< NCCL's net number
  Bandwidth bandwidth{};
  int port = 1;
  std::string guid{};
  Time latency{};
  /// "maxconn" of NCCL's XML.
  int max_connections = 131072;
  bool gpu_direct = true;             ///< GPUDirect RDMA
  bool in_network_reduction = false;  ///< "coll" of NCCL's XML: in-network reduction (SHARP)
  std::optional<int> rail{};
  std::optional<int> plane{};
};

enum class PcieKind { pcie_switch, gpu, nic };

/// A PCIe function and the functions below it, with the attributes of <pci>, <gpu> and <nic> in
/// NCCL's XML.
struct PcieSpec {
  PcieKind kind = PcieKind::pcie_switch;
  std::string busid{};
  std::string link_speed{};  ///< "32.0 GT/s PCIe" as in NCCL's XML; "": unknown, NCCL assumes Gen3
  int link_width = 16;       ///< lanes; 0: unknown, NCCL assumes 16
  std::optional<Bandwidth>
      bandwidth{};  ///< of the link up; not set: from speed and width. NCCL gives
                    ///< a virtual NIC right below a CPU virtual_nic_bandwidth()
  std::string class_code{}, vendor{}, device{}, subsystem_vendor{}, subsystem_device{};
  std::optional<int> gpu{};          ///< kind gpu: its number in the node (NVML index)
  bool gpu_direct = true;            ///< kind gpu: supports GPUDirect RDMA
  std::vector<NetSpec> nets{};       ///< kind nic: its ports
  std::vector<PcieSpec> children{};  ///< kind pcie_switch
};

/// A NUMA domain with its PCIe tree, with the attributes of <cpu> in NCCL's XML.
struct CpuSpec {
  int numa = 0;
  std::string host_hash{};
  std::string affinity, arch = "x86_64", vendor;
  int family = 0, model = 0;
  std::vector<PcieSpec> pcie{};
};

/// The NVLinks from one GPU to one other GPU or to the NVSwitch.
struct NvlinkSpec {
  int gpu = 0;
  std::optional<int> peer{};  ///< a GPU of the node; not set: the NVSwitch
  int count = 1;
};

/// A coherent CPU–GPU link (NVLink-C2C).
struct C2cSpec {
  int gpu = 0;
  int numa = 0;
  Bandwidth bandwidth{};
};

/// A node: all devices of one NVLink domain (configs/nodes/*.json, or imported from NCCL XML). As
/// in NCCL, all NVSwitches of a node are one device. A GB200 NVL72 is one node with 18 hosts.
struct NodeSpec {
  std::string name{};
  std::string source{};
  GpuSpec gpu{};  ///< resolved from its name when read from a file
  int hosts = 1;  ///< number of operating systems in the NVLink domain
  std::vector<CpuSpec> cpus{};
  /// Between CPUs; not set: NCCL's table by CPU vendor.
  std::optional<Bandwidth> socket_bandwidth{};
  std::vector<NvlinkSpec> nvlinks{};
  std::vector<C2cSpec> c2c{};
  /// Only in files: the node consists of this many copies of the content (CPUs with their PCIe
  /// trees, NVLinks to the NVSwitch, C2C links). Each copy is a host of its own, and the numbers of
  /// its GPUs, nets and NUMA domains follow those of the previous copy. read_node() expands the
  /// copies and sets this to 1.
  int repeat = 1;

  [[nodiscard]] int gpu_count() const;
  [[nodiscard]] int nic_count() const;
};

}  // namespace railyard::topology
