#include <fmt/format.h>

#include <array>
#include <memory>

#include "apps/cli/setting.hpp"
#include "apps/output/result_output.hpp"
#include "apps/topo/topo_commands.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "topology/formats/nccl_xml_writer.hpp"
#include "topology/formats/slurm_topology.hpp"
#include "topology/picture/topology_picture.hpp"

namespace railyard::apps {
namespace {

struct ExportFlags {
  ClusterFlags cluster;
  std::string format, output = "-";
  int node = 0;
};

std::string nccl_xml(const topology::Cluster& cluster, const ExportFlags& flags) {
  const auto node = static_cast<std::size_t>(flags.node);
  if (flags.node < 0 || node >= cluster.node_count()) {
    throw InputError("", "--node",
                     fmt::format("node {} does not exist; valid are 0 to {}", flags.node,
                                 cluster.node_count() - 1));
  }
  return topology::export_nccl_xml(cluster.shape(NodeId(node)).spec());
}

/// An export format, and its writer.
struct Format {
  std::string_view name;
  std::string (*write)(const topology::Cluster& cluster, const ExportFlags& flags);
};

constexpr std::array kFormats{
    Format{"nccl_xml", nccl_xml},
    Format{"slurm_conf",
           [](const topology::Cluster& cluster, const ExportFlags&) {
             return topology::write_slurm_conf(topology::tree_of_cluster(cluster));
           }},
    Format{"slurm_yaml",
           [](const topology::Cluster& cluster, const ExportFlags&) {
             return topology::write_slurm_yaml(topology::tree_of_cluster(cluster), "default");
           }},
    Format{"dot", [](const topology::Cluster& cluster,
                     const ExportFlags&) { return topology::picture::topology_dot(cluster); }},
    Format{"svg", [](const topology::Cluster& cluster, const ExportFlags&) {
             return topology::picture::topology_svg(cluster);
           }}};

const Format& format_of(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Format& format : kFormats) {
    if (format.name == name) return format;
    names.push_back(format.name);
  }
  throw InputError("", "--format", core::unknown_name(name, names));
}

int run_export(const ExportFlags& flags, Context& context) {
  const Format& format = format_of(flags.format);
  Provenance unused;
  const topology::Cluster cluster = load_cluster(flags.cluster, unused);
  check_output_file("--output", flags.output);
  write_text(format.write(cluster, flags), flags.output, context);
  return ExitCode::done;
}

}  // namespace

RunCommand add_topo_export(FlagSet app) {
  const auto flags = std::make_shared<ExportFlags>();
  app.add_option("cluster,--cluster", flags->cluster.cluster,
                 "Cluster file, or the name of a shipped one (configs/clusters)")
      .required()
      .type_name("FILE");
  app.add_option("--format", flags->format,
                 "Format: nccl_xml (a node, for NCCL_TOPO_FILE), slurm_conf, slurm_yaml, dot or "
                 "svg (a picture)")
      .required()
      .type_name("NAME");
  app.add_option("-o,--output", flags->output, "File to write; - is standard output [-]")
      .type_name("FILE");
  app.add_option("--nodes", flags->cluster.nodes, "Number of nodes [the cluster file's]")
      .type_name("N");
  app.add_option("--node", flags->node, "nccl_xml: number of the node [0]").type_name("N");
  app.footer(
      "Examples:\n"
      "  railyard topo export dgx_h100_ndr400 --format nccl_xml -o topo.xml   # "
      "NCCL_TOPO_FILE=topo.xml\n"
      "  railyard topo export clos_rail_h100 --nodes 64 --format slurm_conf -o topology.conf\n"
      "  railyard topo export clos_rail_h100 --format svg -o fabric.svg");
  return [flags](Context& context) { return run_export(*flags, context); };
}

}  // namespace railyard::apps
