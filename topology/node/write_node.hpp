#pragma once

#include <optional>
#include <string>

#include "topology/node/host_memory.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::topology {

/// The text of a GPU file (configs/gpus).
[[nodiscard]] std::string write_gpu_file(const GpuSpec& gpu,
                                         const std::optional<HostMemory>& memory = {});
/// The text of a node file (configs/nodes); `gpu` is how it names its GPU: a name, or a path from
/// where the node file will lie.
[[nodiscard]] std::string write_node_file(const NodeSpec& node, const std::string& gpu);

}  // namespace railyard::topology
