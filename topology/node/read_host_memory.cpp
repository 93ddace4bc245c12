#include "core/config/config_path.hpp"
#include "topology/cluster/cluster_fields.hpp"
#include "topology/node/host_memory.hpp"
#include "topology/node/node_fields.hpp"

namespace railyard::topology {

std::optional<HostMemory> read_host_memory(const std::string& cluster) {
  const auto path = core::resolve_config(cluster, "clusters");
  const auto file = core::read_config<ClusterFile>(path);
  const auto node = core::resolve_config(file.groups.empty() ? file.node : file.groups.front().node,
                                         "nodes", path.string(), "/node");
  if (node.extension() == ".xml") return std::nullopt;
  const core::ConfigNode root = core::ConfigNode::read(node);
  const auto gpu = root.find("gpu");
  if (!gpu || !gpu->text()) return std::nullopt;
  return core::read_config<GpuFile>(
             core::resolve_config(*gpu->text(), "gpus", node.string(), "/gpu"))
      .host_memory;
}

}  // namespace railyard::topology
