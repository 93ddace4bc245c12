#include "apps/calibrate/fitted_host_files.hpp"

#include <algorithm>
#include <filesystem>

#include "apps/output/result_output.hpp"
#include "core/config/config_path.hpp"
#include "topology/cluster/cluster_fields.hpp"
#include "topology/node/write_node.hpp"

namespace railyard::apps {

namespace fs = std::filesystem;

void write_fitted_host(const std::string& cluster, const hw::HostCluster& host,
                       const hw::HostFit& fit, const std::string& file, Context& context) {
  const fs::path path = core::resolve_config(cluster, "clusters");
  auto written = core::read_config<topology::ClusterFile>(path);
  const std::vector<double> x = fit.values();
  const topology::ClusterSpec fitted = host.with(x);
  const auto memory = host.memory_with(x);
  const auto moved = [&](hw::HostParameter::What what) {
    return std::ranges::any_of(fit.parameters,
                               [&](const auto& p) { return p.what == what && p.identified; });
  };
  if (moved(hw::HostParameter::What::launch))
    written.overheads.simple.launch = fitted.overheads.simple.launch;
  if (moved(hw::HostParameter::What::step)) {
    written.overheads.simple.pcie = fitted.overheads.simple.pcie;
    written.overheads.simple.nvlink = fitted.overheads.simple.nvlink;
  }
  if (moved(hw::HostParameter::What::network))
    written.overheads.simple.network = fitted.overheads.simple.network;
  written.fabric.port_bandwidth = fitted.fabric.port_bandwidth;
  const fs::path folder = fs::path(file).parent_path();
  const std::string stem = fs::path(file).stem().string();
  for (std::size_t i = 0; i < fitted.node_specs.size(); ++i) {
    const std::string number = fitted.node_specs.size() == 1 ? "" : std::to_string(i);
    const std::string rank = stem + number + ".rank.json", node = stem + number + ".node.json";
    const topology::NodeSpec& spec = fitted.node_specs[i];
    write_text(topology::write_gpu_file(spec.gpu, memory), (folder / rank).string(), context);
    write_text(topology::write_node_file(spec, rank), (folder / node).string(), context);
    if (written.groups.empty())
      written.node = node;
    else
      written.groups[i].node = node;
  }
  write_text(core::write_config(written, ""), file, context);
}

}  // namespace railyard::apps
