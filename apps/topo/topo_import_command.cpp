#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>

#include "apps/output/result_output.hpp"
#include "apps/topo/import_fabric.hpp"
#include "apps/topo/topo_commands.hpp"
#include "core/config/enum_names.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "topology/formats/import.hpp"

namespace railyard::apps {
namespace {

using topology::ImportFormat;

struct ImportFlags {
  std::string file, format, gpu, node, output = "-";
  int nodes = 1;
  std::vector<std::string> environment;
  ImportFabricFlags fabric;
};

constexpr std::array<std::pair<std::string_view, ImportFormat>, 5> kFormats{
    {{"nccl_xml", ImportFormat::nccl_xml},
     {"nvidia_smi", ImportFormat::nvidia_smi},
     {"ibnetdiscover", ImportFormat::ibnetdiscover},
     {"slurm_conf", ImportFormat::slurm_conf},
     {"slurm_yaml", ImportFormat::slurm_yaml}}};

std::optional<ImportFormat> format_of(const std::string& name) {
  if (name.empty()) return std::nullopt;
  std::vector<std::string_view> names;
  for (const auto& [known, format] : kFormats) {
    if (known == name) return format;
    names.push_back(known);
  }
  throw InputError("", "--format", core::unknown_name(name, names));
}

std::optional<topology::NicFilter> nic_filter(const std::vector<std::string>& environment) {
  if (environment.empty()) return std::nullopt;
  if (environment.size() > 1)
    throw InputError("", "--env", "is given twice", "one list: NCCL_IB_HCA=mlx5_0,mlx5_1");
  return topology::NicFilter::parse(environment.front());
}

int run_import(const ImportFlags& flags, Context& context) {
  check_output_file("--output", flags.output);
  std::vector<std::string> notes;
  const topology::ImportRequest request{.format = format_of(flags.format),
                                        .gpu = flags.gpu,
                                        .nodes = flags.nodes,
                                        .fabric = import_fabric(flags.fabric, notes),
                                        .node = flags.node,
                                        .nics = nic_filter(flags.environment)};
  const auto imported =
      topology::import_topology(core::read_text_file(flags.file), flags.file, request);
  if (imported.format <= ImportFormat::nvidia_smi && !flags.node.empty())
    throw InputError(
        "", "--node",
        fmt::format("applies to a fabric; {} describes a node", to_text(imported.format)),
        "leave it out");
  const topology::Cluster cluster = topology::build_cluster(imported.cluster);
  const bool to_file = flags.output != "-";
  const auto files = topology::write_imported(imported, to_file ? flags.output : "cluster.json");
  if (!files.node_name.empty() && !to_file) {
    throw InputError(
        "", "-o", "the cluster and its node are two files, which do not fit on standard output",
        "write them with -o FILE: the file of the node is written beside the cluster file");
  }
  // The node file is written first, so that no cluster file refers to a missing one.
  if (!files.node_name.empty()) {
    const auto beside = std::filesystem::path(flags.output).parent_path() / files.node_name;
    write_text(files.node, beside.string(), context);
  }
  write_text(files.cluster, flags.output, context);
  for (const std::string& note : imported.notes) print_note(context, note);
  if (imported.format <= ImportFormat::nvidia_smi) {
    for (const std::string& note : notes) print_note(context, note);
  }
  print_note(context, fmt::format("{}: {} nodes, {} GPUs", to_text(imported.format),
                                  cluster.node_count(), cluster.rank_count()));
  return ExitCode::done;
}

constexpr const char* kExamples = R"(
Converts the topology of another tool into a cluster file. The format is recognised from the content.
A node (NCCL's topology XML, nvidia-smi topo -m) is repeated --nodes times and connected by a generated
fabric. A fabric (ibnetdiscover, Slurm's topology.conf or topology.yaml) needs the type of its hosts
(--node). Every assumption is printed as a note on standard error.

Examples:
  railyard topo import configs/examples/h100_host.xml --nodes 4 --fabric rail_clos -o cluster.json
  nvidia-smi topo -m > matrix.txt && railyard topo import matrix.txt --gpu h100_sxm -o cluster.json
  railyard topo import fabric.ibnet --node dgx_h100 -o cluster.json)";

}  // namespace

RunCommand add_topo_import(FlagSet app) {
  const auto flags = std::make_shared<ImportFlags>();
  app.add_option("file", flags->file, "File to convert").required().type_name("FILE");
  app.add_option("-o,--output", flags->output,
                 "Cluster file to write; the file of the node is written beside it; - is standard "
                 "output [-]")
      .type_name("FILE");
  app.add_option("--format", flags->format,
                 "Format: nccl_xml, nvidia_smi, ibnetdiscover, slurm_conf or slurm_yaml "
                 "[recognised from the content]")
      .type_name("NAME");
  app.add_option("--nodes", flags->nodes, "nccl_xml, nvidia_smi: number of nodes of this kind [1]")
      .type_name("N")
      .check(in_range(1, 1 << 24));
  app.add_option("--gpu", flags->gpu,
                 "nccl_xml, nvidia_smi: GPU type (configs/gpus), if the file does not contain it")
      .type_name("NAME");
  app.add_option("--node", flags->node,
                 "ibnetdiscover, slurm_*: type of each host, a name in configs/nodes or a file")
      .type_name("NAME");
  app.add_option("--env", flags->environment,
                 "For a node: keep only the NICs that NCCL_IB_HCA selects: "
                 "NCCL_IB_HCA=mlx5_0,mlx5_1 or NCCL_IB_HCA=^mlx5_3 [all NICs]")
      .type_name("NAME=VALUE")
      .take_all();
  add_import_fabric_flags(app, flags->fabric);
  app.footer(kExamples);
  return [flags](Context& context) { return run_import(*flags, context); };
}

}  // namespace railyard::apps
