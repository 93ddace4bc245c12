#include "topology/node/write_node.hpp"

#include "topology/node/node_fields.hpp"

namespace railyard::topology {

std::string write_gpu_file(const GpuSpec& gpu, const std::optional<HostMemory>& memory) {
  GpuFile file;
  file.host_memory = memory;
  static_cast<GpuSpec&>(file) = gpu;
  return core::write_config(file, "");
}

std::string write_node_file(const NodeSpec& node, const std::string& gpu) {
  NodeFile file;
  static_cast<NodeSpec&>(file) = node;
  file.gpu_name = gpu;
  return core::write_config(file, "");
}

}  // namespace railyard::topology
