#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/nccl/graph/fused_net.hpp"
#include "collectives/nccl/graph/graph.hpp"

/// One node as NCCL sees it before its search: vertices and links with NCCL's own bandwidths (NCCL
/// 2.30.7, src/graph/topo.cc). docs/models/nccl_search.md lists what each number is.
namespace railyard::collectives::nccl {

/// Kinds of vertices. A `dev` is the GPU as a device, which the PCIe and NVLink links lead to; a
/// `gpu` is the rank that runs on it, beside it on a link of 5000 GB/s. `net` is a port of a `nic`.
enum class VertexKind : std::uint8_t { gpu, dev, pci, nvs, cpu, nic, net };
inline constexpr std::size_t kVertexKinds = 7;

/// A directed link. `type` is the type of a path that consists of it alone: loc, nvl, c2c, pix
/// (PCIe), sys (between CPUs), net (NIC and its port).
struct SystemLink {
  int from = 0;
  int to = 0;
  PathType type = PathType::loc;
  float bandwidth = 0;  ///< GB/s
  int reverse = -1;     ///< the link back of the same type
};

/// A vertex and the links that leave it, in the order in which NCCL tries them.
struct Vertex {
  VertexKind kind = VertexKind::gpu;
  int index = 0;  ///< among its kind
  int host = 0;   ///< number of the operating system (several in one NVLink domain)
  std::vector<int> links;
};

/// A GPU that has a rank. GPUs are indexed in the order of the PCIe tree, as in NCCL.
struct SystemGpu {
  int rank = 0;  ///< within the node
  int dev = 0;   ///< NVML index within its host
  int compute_capability = 0;
  bool gpu_direct = true;
};

struct SystemCpu {
  CpuVendor vendor = CpuVendor::other;
  bool x86 = true;
};

/// A NIC port. Ports of equal `asic` and `port` share one bandwidth budget in the search.
struct SystemNet {
  int dev = 0;             ///< NCCL's net number
  std::uint64_t asic = 0;  ///< guid, or a number of its own where the port has none
  int port = 0;
  float bandwidth = 0;  ///< GB/s
  float latency = 0;    ///< us
  bool gpu_direct = true;
  bool in_network_reduction = false;  ///< "coll"
  int rail = -1, plane = -1;          ///< -1: not configured
};

/// A node, frozen.
struct System {
  std::string name;  ///< of the node, for errors
  std::vector<Vertex> vertices;
  std::vector<SystemLink> links;
  std::array<std::vector<int>, kVertexKinds> of_kind;  ///< vertices by kind and index
  std::vector<SystemGpu> gpus;
  std::vector<SystemCpu> cpus;
  std::vector<SystemNet> nets;
  std::vector<FusedNet> fused;  ///< which of the nets NCCL made of others
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
};

/// Bandwidth of a path from a vertex to itself and of links inside a device: GB/s (NCCL 2.30.7,
/// src/graph/topo.h, LOC_BW).
inline constexpr float kLocalBandwidth = 5000;

}  // namespace railyard::collectives::nccl
