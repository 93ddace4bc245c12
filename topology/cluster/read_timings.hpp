#pragma once

#include <string>
#include <string_view>

#include "topology/cluster/timing.hpp"

namespace railyard::topology {

/// The time model's parameters of a cluster, and which classes they are of.
struct Timings {
  GpuTiming gpu{};
  FabricTiming fabric{};
  PcieTiming pcie{};
  std::string generation{};   ///< name in configs/generations
  std::string fabric_kind{};  ///< name in configs/fabrics
  std::string host{};         ///< name of the node
};

/// Reads them for a cluster file (path, or name in configs/clusters): its own where it has some;
/// else of the file of its first GPU, of that file's generation, of the kind of its fabric. Throws
/// InputError.
[[nodiscard]] Timings read_timings(const std::string& cluster);

/// Reads what NCCL takes on a generation of GPUs: name in configs/generations, or a path.
[[nodiscard]] GpuTiming read_gpu_timing(const std::string& reference,
                                        const std::string& referring_file = {});
/// Reads what NCCL takes on a kind of fabric: name in configs/fabrics, or a path.
[[nodiscard]] FabricTiming read_fabric_timing(const std::string& reference,
                                              const std::string& referring_file = {});
/// The file in configs/generations of a compute capability: "hopper" for 90.
[[nodiscard]] std::string_view generation_of(int compute_capability);
/// The GPUs whose measured times stand for a GPU of `generation`: the same generation, or where no
/// shipped one contains its compute capability (a newer GPU, timed as the generation before it)
/// only its own kind, "compute capability 10.7".
[[nodiscard]] std::string gpu_family(int compute_capability, std::string_view generation);

}  // namespace railyard::topology
