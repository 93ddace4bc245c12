#include "topology/formats/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/diagnostic.hpp"
#include "topology/cluster/cluster_fields.hpp"
#include "topology/formats/ibnetdiscover.hpp"
#include "topology/formats/nccl_xml.hpp"
#include "topology/formats/nccl_xml_writer.hpp"
#include "topology/formats/nvidia_smi.hpp"
#include "topology/formats/slurm_topology.hpp"

namespace railyard::topology {
namespace {

bool begins_with(std::string_view line, std::string_view word) {
  return line.size() >= word.size() &&
         std::ranges::equal(
             line.substr(0, word.size()), word,
             [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

/// The format that a single line identifies, if any.
std::optional<ImportFormat> format_of_line(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t\r");
  if (start == std::string_view::npos) return {};
  const bool indented = start > 0;
  line.remove_prefix(start);
  if (begins_with(line, "SwitchName=") || begins_with(line, "BlockName="))
    return ImportFormat::slurm_conf;
  if (begins_with(line, "- topology:") || begins_with(line, "topology:"))
    return ImportFormat::slurm_yaml;
  for (const std::string_view word : {"vendid=", "switchguid=", "caguid=", "Switch\t", "Ca\t"})
    if (!indented && line.starts_with(word)) return ImportFormat::ibnetdiscover;
  // nvidia-smi underlines its header with escape sequences: ESC [ 4 m GPU0.
  if (line.starts_with('\x1b')) line.remove_prefix(std::min(line.find('m'), line.size() - 1) + 1);
  if (line.starts_with("GPU0")) return ImportFormat::nvidia_smi;
  return {};
}

/// The number of NICs of a node, and the rate of the fastest.
struct Nics {
  int count = 0;
  Bandwidth fastest;
};

void count_nics(const std::vector<PcieSpec>& functions, Nics& nics) {
  for (const PcieSpec& function : functions) {
    for (const NetSpec& net : function.nets) {
      ++nics.count;
      nics.fastest = std::max(nics.fastest, net.bandwidth);
    }
    count_nics(function.children, nics);
  }
}

NodeSpec host_node(const ImportRequest& request, const std::string& file) {
  if (request.node.empty())
    throw InputError(file, "", "says nothing of what is inside of its hosts",
                     "name their node, such as dgx_h100");
  return read_node(request.node);
}

/// Combines the parameters of the request with the switches and cables of the file.
FabricSpec joined(FabricSpec fabric, FabricSpec read) {
  fabric.kind = FabricKind::explicit_list;
  fabric.switches = std::move(read.switches);
  fabric.cables = std::move(read.cables);
  return fabric;
}

void import_node(ImportedNode node, const ImportRequest& request, ImportedTopology& out) {
  out.notes = std::move(node.notes);
  if (request.nics) {
    const std::vector<std::string> removed = remove_nics(node.node, *request.nics);
    if (!removed.empty())
      out.notes.push_back(fmt::format("NCCL_IB_HCA leaves out {}", fmt::join(removed, ", ")));
  }
  out.cluster.name = node.node.name;
  out.cluster.source = node.node.source;
  out.cluster.nodes = request.nodes;
  out.cluster.fabric = request.fabric;
  out.cluster.node_specs.push_back(std::move(node.node));
  out.cluster.node_counts.push_back(request.nodes);
}

void import_ib(std::string_view text, const std::string& file, const ImportRequest& request,
               ImportedTopology& out) {
  const IbFabric fabric = read_ibnetdiscover(text, file);
  out.notes = fabric.notes;
  out.cluster = cluster_of_ib_fabric(fabric, host_node(request, file), file, out.hosts, out.notes);
  out.cluster.fabric = joined(request.fabric, std::move(out.cluster.fabric));
  out.cluster.fabric.transport = Transport::infiniband;
}

void import_slurm(SlurmTopology slurm, const std::string& file, const ImportRequest& request,
                  ImportedTopology& out) {
  const NodeSpec node = host_node(request, file);
  Nics nics;
  for (const CpuSpec& cpu : node.cpus) count_nics(cpu.pcie, nics);
  if (nics.count == 0)
    throw InputError(file, "", fmt::format("joins hosts, but node '{}' has no NIC", node.name));
  out.hosts = slurm.tree.hosts();
  out.notes = std::move(slurm.notes);
  out.notes.push_back(
      "Slurm lists no cables: every switch goes up with what comes from below "
      "(no oversubscription)");
  out.cluster.fabric = joined(request.fabric, fabric_of_tree(slurm.tree, nics.count, nics.fastest));
  out.cluster.source = "Slurm topology";
  out.cluster.nodes = static_cast<int>(out.hosts.size());
  out.cluster.node_specs.push_back(node);
  out.cluster.node_counts.push_back(out.cluster.nodes);
}

}  // namespace

std::string_view to_text(ImportFormat format) {
  switch (format) {
    case ImportFormat::nccl_xml: return "NCCL topology XML";
    case ImportFormat::nvidia_smi: return "nvidia-smi topo -m";
    case ImportFormat::ibnetdiscover: return "ibnetdiscover";
    case ImportFormat::slurm_conf: return "Slurm topology.conf";
    case ImportFormat::slurm_yaml: return "Slurm topology.yaml";
  }
  return "";
}

std::optional<ImportFormat> recognise_format(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '<') return ImportFormat::nccl_xml;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (const auto format = format_of_line(text.substr(start, end - start))) return format;
    start = end + 1;
  }
  return {};
}

ImportedTopology import_topology(std::string_view text, const std::string& file,
                                 const ImportRequest& request) {
  const auto format = request.format ? request.format : recognise_format(text);
  if (!format)
    throw InputError(
        file, "", "is none of the topology files that Railyard reads",
        "NCCL topology XML, nvidia-smi topo -m, ibnetdiscover, Slurm topology.conf or .yaml");
  ImportedTopology out;
  out.format = *format;
  switch (*format) {
    case ImportFormat::nccl_xml:
      import_node(read_nccl_xml(text, file, request.gpu), request, out);
      break;
    case ImportFormat::nvidia_smi:
      if (request.gpu.empty())
        throw InputError(file, "", "nvidia-smi topo -m does not say which GPUs these are",
                         "name their type, such as h100_sxm");
      import_node(read_nvidia_smi(text, file, read_gpu(request.gpu)), request, out);
      break;
    case ImportFormat::ibnetdiscover: import_ib(text, file, request, out); break;
    case ImportFormat::slurm_conf:
      import_slurm(read_slurm_conf(text, file), file, request, out);
      break;
    case ImportFormat::slurm_yaml:
      import_slurm(read_slurm_yaml(text, file), file, request, out);
      break;
  }
  out.cluster.file = file;
  if (out.cluster.name.empty()) out.cluster.name = std::filesystem::path(file).stem().string();
  const bool is_fabric = *format >= ImportFormat::ibnetdiscover;
  if (is_fabric && request.nics)
    throw InputError(file, "--env", "selects NICs of a node, and this file describes a fabric",
                     "import the node with --env, and give it with --node");
  if (is_fabric) out.cluster.node = request.node;
  return out;
}

ImportedFiles write_imported(const ImportedTopology& imported, const std::string& cluster_file) {
  ImportedFiles files;
  ClusterFile cluster{imported.cluster, {}, {}, {}};
  if (cluster.node.empty() && cluster.groups.empty()) {
    files.node_name = std::filesystem::path(cluster_file).stem().string() + ".node.xml";
    files.node = export_nccl_xml(cluster.node_specs.front());
    cluster.node = files.node_name;
  }
  files.cluster = core::write_config(cluster, "");
  return files;
}

}  // namespace railyard::topology
