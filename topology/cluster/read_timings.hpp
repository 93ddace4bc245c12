#pragma once

#include <string>
#include <string_view>

#include "topology/cluster/timing.hpp"

namespace railyard::topology {

/// The parameters of the NCCL time model for a cluster, and the class of machine that each part
/// belongs to.
struct Timings {
  GpuTiming gpu{};
  FabricTiming fabric{};
  PcieTiming pcie{};
  std::string generation{};   ///< GPU generation: name in configs/generations
  std::string fabric_kind{};  ///< kind of fabric: name in configs/fabrics
  std::string host{};         ///< name of the node, whose file has the PCIe timing
};

/// Reads the timing parameters for a cluster file (a path, or a name in configs/clusters).
/// Parameters in the cluster file take precedence; GPU parameters come next from the GPU file of
/// its first node, then from the GPU's generation; fabric parameters from the kind of fabric.
/// Throws InputError.
[[nodiscard]] Timings read_timings(const std::string& cluster);

/// Reads the NCCL timing parameters of a GPU generation: a name in configs/generations, or a path.
/// Throws InputError.
[[nodiscard]] GpuTiming read_gpu_timing(const std::string& reference,
                                        const std::string& referring_file = {});
/// Reads the NCCL timing parameters of a kind of fabric: a name in configs/fabrics, or a path.
/// Throws InputError.
[[nodiscard]] FabricTiming read_fabric_timing(const std::string& reference,
                                              const std::string& referring_file = {});
/// The generation file in configs/generations for a compute capability: "hopper" for 90.
[[nodiscard]] std::string_view generation_of(int compute_capability);
/// The set of GPUs whose measured times also apply to this GPU. Normally that is `generation`. A
/// GPU newer than all shipped generations is timed with the parameters of the generation before it,
/// but measurements of that generation do not apply; its set is "compute capability 10.7".
[[nodiscard]] std::string gpu_family(int compute_capability, std::string_view generation);

}  // namespace railyard::topology
