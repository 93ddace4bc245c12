#include <filesystem>
#include <utility>

#include "core/config/config_path.hpp"
#include "core/config/text_file.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/formats/nccl_xml.hpp"
#include "topology/node/node_copies.hpp"
#include "topology/node/node_fields.hpp"

namespace railyard::topology {

GpuSpec read_gpu(const std::string& reference, const std::string& referring_file) {
  const auto path = core::resolve_config(reference, "gpus", referring_file, "/gpu");
  GpuFile file = core::read_config<GpuFile>(path);
  if (file.nvlink_bandwidth == Bandwidth())
    file.nvlink_bandwidth = nvlink_bandwidth(file.compute_capability);
  return static_cast<GpuSpec&&>(file);
}

NodeSpec read_node(const std::string& reference, const std::string& referring_file) {
  const auto path = core::resolve_config(reference, "nodes", referring_file, "/node");
  if (path.extension() == ".xml") return import_nccl_xml(core::read_text_file(path), path.string());
  const core::ConfigNode root = core::ConfigNode::read(path);
  NodeFile file;
  // The GPU comes first: whether NVLinks have a bandwidth is part of the node's check.
  std::vector<Diagnostic> problems;
  if (const auto gpu = root.find("gpu"); gpu && gpu->text()) {
    try {
      file.gpu = read_gpu(std::string(*gpu->text()), path.string());
    } catch (const InputError& error) {
      problems.assign(error.diagnostics().begin(), error.diagnostics().end());
      file.gpu.nvlink_bandwidth = nvlink_bandwidth(0);
    }
  }
  try {
    core::read_config(root, file);
  } catch (const InputError& error) {
    problems.insert(problems.end(), error.diagnostics().begin(), error.diagnostics().end());
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  write_out_copies(file);
  return static_cast<NodeSpec&&>(file);
}

}  // namespace railyard::topology
