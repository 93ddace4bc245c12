#pragma once

#include <optional>
#include <string>

#include "topology/node/host_memory.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// The contents of a GPU file (configs/gpus) as text.
[[nodiscard]] std::string write_gpu_file(const GpuSpec& gpu,
                                         const std::optional<HostMemory>& memory = {});
/// The contents of a node file (configs/nodes) as text. `gpu` is its reference to the GPU: a name,
/// or a path relative to the node file.
[[nodiscard]] std::string write_node_file(const NodeSpec& node, const std::string& gpu);

}  // namespace railyard::topology
