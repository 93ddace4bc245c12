#include "hw/probe/fitted_host_files.hpp"

#include <algorithm>
#include <filesystem>

#include "core/config/config_path.hpp"
#include "topology/cluster/cluster_fields.hpp"
#include "topology/node/write_node.hpp"

namespace railyard::hw {

namespace fs = std::filesystem;

FittedHostFiles fitted_host_files(const std::string& cluster, const HostCluster& host,
                                  const HostFit& fit, const std::string& file) {
  const fs::path path = core::resolve_config(cluster, "clusters");
  auto written = core::read_config<topology::ClusterFile>(path);
  const std::vector<double> x = fit.values();
  const topology::ClusterSpec fitted = host.with(x);
  const auto memory = host.memory_with(x);
  const auto moved = [&](HostParameter::What what) {
    return std::ranges::any_of(fit.parameters,
                               [&](const auto& p) { return p.what == what && p.identified; });
  };
  if (moved(HostParameter::What::launch))
    written.overheads.simple.launch = fitted.overheads.simple.launch;
  if (moved(HostParameter::What::step)) {
    written.overheads.simple.pcie = fitted.overheads.simple.pcie;
    written.overheads.simple.nvlink = fitted.overheads.simple.nvlink;
  }
  if (moved(HostParameter::What::network))
    written.overheads.simple.network = fitted.overheads.simple.network;
  written.fabric.port_bandwidth = fitted.fabric.port_bandwidth;
  FittedHostFiles files;
  const std::string stem = fs::path(file).stem().string();
  for (std::size_t i = 0; i < fitted.node_specs.size(); ++i) {
    const std::string number = fitted.node_specs.size() == 1 ? "" : std::to_string(i);
    const std::string rank = stem + number + ".rank.json", node = stem + number + ".node.json";
    const topology::NodeSpec& spec = fitted.node_specs[i];
    files.nodes.push_back({rank, topology::write_gpu_file(spec.gpu, memory)});
    files.nodes.push_back({node, topology::write_node_file(spec, rank)});
    if (written.groups.empty())
      written.node = node;
    else
      written.groups[i].node = node;
  }
  files.cluster = core::write_config(written, "");
  return files;
}

}  // namespace railyard::hw
