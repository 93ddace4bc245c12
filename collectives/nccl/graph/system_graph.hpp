#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/nccl/graph/fused_net.hpp"
#include "collectives/nccl/graph/graph.hpp"

/// A node as in NCCL before the search: vertices and links with NCCL's bandwidths (2.30.7,
/// src/graph/topo.cc). docs/models/nccl_search.md lists the bandwidths.
namespace railyard::collectives::nccl {

/// Kinds of vertices. `dev`: a GPU device with its PCIe and NVLink links. `gpu`: the rank on a
/// device, connected to it by a link of 5000 GB/s. `net`: a port of a `nic`.
enum class VertexKind : std::uint8_t { gpu, dev, pci, nvs, cpu, nic, net };
inline constexpr std::size_t kVertexKinds = 7;

/// A directed link. `type` is that of a path of this link only: loc, nvl, c2c, pix (PCIe), sys
/// (between CPUs), net (NIC and its port).
struct SystemLink {
  int from = 0;
  int to = 0;
  PathType type = PathType::loc;
  float bandwidth = 0;  ///< GB/s
  int reverse = -1;     ///< the link of the same type in the reverse direction

  friend bool operator==(const SystemLink&, const SystemLink&) = default;
};

/// A vertex and its outgoing links, in NCCL's order.
struct Vertex {
  VertexKind kind = VertexKind::gpu;
  int index = 0;  ///< within its kind
  int host = 0;   ///< number of the host within the NVLink domain
  std::vector<int> links;

  friend bool operator==(const Vertex&, const Vertex&) = default;
};

/// A GPU with a rank. As in NCCL, GPUs are indexed in the order of the PCIe tree.
struct SystemGpu {
  int rank = 0;  ///< within the node
  int dev = 0;   ///< NVML index within its host
  int compute_capability = 0;
  bool gpu_direct = true;

  friend bool operator==(const SystemGpu&, const SystemGpu&) = default;
};

struct SystemCpu {
  CpuVendor vendor = CpuVendor::other;
  bool x86 = true;

  friend bool operator==(const SystemCpu&, const SystemCpu&) = default;
};

/// A NIC port. Ports of equal `asic` and `port` share one bandwidth budget in the search.
struct SystemNet {
  int dev = 0;             ///< NCCL's net number
  std::uint64_t asic = 0;  ///< GUID, or a unique number for a port without one
  int port = 0;
  float bandwidth = 0;  ///< GB/s
  float latency = 0;    ///< us
  bool gpu_direct = true;
  bool in_network_reduction = false;  ///< "coll"
  int rail = -1, plane = -1;          ///< -1: not configured

  friend bool operator==(const SystemNet&, const SystemNet&) = default;
};

/// A node; immutable.
struct System {
  std::string name;  ///< name of the node, for errors
  std::vector<Vertex> vertices;
  std::vector<SystemLink> links;
  std::array<std::vector<int>, kVertexKinds> of_kind;  ///< vertices by kind and index
  std::vector<SystemGpu> gpus;
  std::vector<SystemCpu> cpus;
  std::vector<SystemNet> nets;
  std::vector<FusedNet> fused;  ///< virtual NICs made by NIC fusion
  float nvlink_bandwidth = 0;   ///< GB/s of one NVLink
  int hosts = 1;

  [[nodiscard]] std::span<const int> all(VertexKind kind) const {
    return of_kind[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] int count(VertexKind kind) const { return static_cast<int>(all(kind).size()); }
  [[nodiscard]] int vertex(VertexKind kind, int index) const {
    return all(kind)[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const Vertex& operator[](int vertex) const {
    return vertices[static_cast<std::size_t>(vertex)];
  }
  [[nodiscard]] int gpu_count() const { return static_cast<int>(gpus.size()); }
  [[nodiscard]] int net_count() const { return static_cast<int>(nets.size()); }
  /// 0 without GPUs.
  [[nodiscard]] int min_compute_capability() const;
  [[nodiscard]] int max_compute_capability() const;

  friend bool operator==(const System&, const System&) = default;
};

/// Bandwidth in GB/s of links inside a device, and of a path from a vertex to itself (NCCL 2.30.7,
/// src/graph/topo.h, LOC_BW).
inline constexpr float kLocalBandwidth = 5000;

}  // namespace railyard::collectives::nccl
