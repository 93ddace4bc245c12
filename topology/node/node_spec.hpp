#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace railyard::topology {

/// A GPU type (configs/gpus/*.json). What a network model needs; placement adds its own part.
struct GpuSpec {
  std::string name{};
  std::string source{};
  int compute_capability = 0;    ///< 70 V100, 80 A100, 90 H100, 100 B200 (NCCL's "sm")
  Bandwidth nvlink_bandwidth{};  ///< of one NVLink, per direction, as NCCL counts it
  Bytes memory{};
  Bandwidth memory_bandwidth{};
};

/// A port of a NIC: the attributes of NCCL's <net>.
struct NetSpec {
  std::string name{};  ///< "mlx5_0"
  int dev = 0;         ///< NCCL's net number
  Bandwidth bandwidth{};
  int port = 1;
  std::string guid{};
  Time latency{};
  int max_connections = 131072;
  bool gpu_direct = true;             ///< GPUDirect RDMA
  bool in_network_reduction = false;  ///< "coll": SHARP capable
  std::optional<int> rail{};
  std::optional<int> plane{};
};

enum class PcieKind { pcie_switch, gpu, nic };

/// One PCIe function and what hangs below it: the attributes of NCCL's <pci>, <gpu> and <nic>.
struct PcieSpec {
  PcieKind kind = PcieKind::pcie_switch;
  std::string busid{};
  std::string link_speed{};  ///< "32.0 GT/s PCIe" as in NCCL's XML; "" is unknown (NCCL takes Gen3)
  int link_width = 16;       ///< lanes; 0 is unknown (NCCL takes 16)
  std::optional<Bandwidth>
      bandwidth{};  ///< of the link up; not set: from speed and width. NCCL gives
                    ///< a virtual NIC right below a CPU virtual_nic_bandwidth()
  std::string class_code{}, vendor{}, device{}, subsystem_vendor{}, subsystem_device{};
  std::optional<int> gpu{};          ///< kind gpu: number in the node (NVML index)
  bool gpu_direct = true;            ///< kind gpu
  std::vector<NetSpec> nets{};       ///< kind nic: its ports
  std::vector<PcieSpec> children{};  ///< kind pcie_switch
};

/// A NUMA domain with its PCIe tree: the attributes of NCCL's <cpu>.
struct CpuSpec {
  int numa = 0;
  std::string host_hash{};
  std::string affinity, arch = "x86_64", vendor;
  int family = 0, model = 0;
  std::vector<PcieSpec> pcie{};
};

/// NVLinks that leave one GPU towards one target.
struct NvlinkSpec {
  int gpu = 0;
  std::optional<int> peer{};  ///< a GPU of the node; not set: the NVSwitch of the node
  int count = 1;
};

/// A coherent CPU–GPU link (NVLink-C2C).
struct C2cSpec {
  int gpu = 0;
  int numa = 0;
  Bandwidth bandwidth{};
};

/// One node: the devices of one NVLink domain (configs/nodes/*.json, or imported from NCCL XML).
/// All NVSwitches of a node are one device, as in NCCL. GB200 NVL72 is one node of 18 hosts.
struct NodeSpec {
  std::string name{};
  std::string source{};
  GpuSpec gpu{};  ///< resolved from its name when read from a file
  int hosts = 1;  ///< operating systems that share the NVLink domain
  std::vector<CpuSpec> cpus{};
  std::optional<Bandwidth> socket_bandwidth{};  ///< between CPUs; not set: NCCL's table by vendor
  std::vector<NvlinkSpec> nvlinks{};
  std::vector<C2cSpec> c2c{};
  /// In files: the node is this many copies of what is written (CPUs with their PCIe, NVLinks to
  /// the NVSwitch, C2C), each its own host, with numbers of GPUs, nets and NUMA domains counted on.
  /// read_node writes the copies out and leaves 1 here.
  int repeat = 1;

  [[nodiscard]] int gpu_count() const;
  [[nodiscard]] int nic_count() const;
};

}  // namespace railyard::topology
