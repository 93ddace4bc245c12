#include "nccl_cases.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>

#include "core/config/config_node.hpp"

namespace railyard::collectives::nccl {
namespace {

namespace fs = std::filesystem;
using core::ConfigNode;

std::optional<fs::path> cases_file() {
  for (const char* top : {".", ".."}) {
    const fs::path file =
        fs::path(RAILYARD_SOURCE_DIR) / top / "../shared/truth/nccl_model/cases.json";
    if (fs::exists(file)) return file;
  }
  return std::nullopt;
}

ConfigNode member(const ConfigNode& node, std::string_view key) {
  const auto found = node.find(key);
  if (!found) throw std::runtime_error(node.pointer() + " has no " + std::string(key));
  return *found;
}

int integer(const ConfigNode& node, std::string_view key) {
  return static_cast<int>(member(node, key).integer().value());
}

float real(const ConfigNode& node, std::string_view key) {
  return static_cast<float>(member(node, key).number().value());
}

std::string text(const ConfigNode& node, std::string_view key) {
  return std::string(member(node, key).text().value());
}

PathType path_type(const std::string& name) {
  static const std::map<std::string, PathType> kTypes{
      {"LOC", PathType::loc}, {"NVL", PathType::nvl}, {"PIX", PathType::pix},
      {"PXB", PathType::pxb}, {"PXN", PathType::pxn}, {"PHB", PathType::phb},
      {"SYS", PathType::sys}};
  return kTypes.at(name);
}

Graph graph(const ConfigNode& node) {
  static const std::map<std::string, GraphPattern> kPatterns{
      {"RING", GraphPattern::ring},
      {"TREE", GraphPattern::tree},
      {"BALANCED_TREE", GraphPattern::balanced_tree},
      {"NVLS", GraphPattern::nvls}};
  Graph graph;
  graph.pattern = kPatterns.at(text(node, "pattern"));
  graph.channels = integer(node, "nChannels");
  graph.bandwidth_intra = real(node, "bwIntra");
  graph.bandwidth_inter = real(node, "bwInter");
  graph.type_intra = path_type(text(node, "typeIntra"));
  graph.type_inter = path_type(text(node, "typeInter"));
  graph.cross_nic = integer(node, "crossNic");
  graph.same_channels = integer(node, "sameChannels") != 0;
  return graph;
}

Communicator communicator(const ConfigNode& node) {
  Communicator c;
  c.nodes = integer(node, "nNodes");
  c.ranks = c.nodes * integer(node, "gpusPerNode");
  c.min_compute_capability = c.max_compute_capability = integer(node, "minCompCap");
  c.cpu_vendor = text(node, "cpuVendor") == "AMD" ? CpuVendor::amd : CpuVendor::intel;
  for (const auto& [id, value] : member(node, "graphs").members())
    c.graphs[static_cast<std::size_t>(std::stoi(std::string(id)))] = graph(value);
  c.nvls_support = c.graph(GraphId::nvls).has_value();
  c.nvswitch = c.nvls_support;
  const ConfigNode channels = member(node, "channels");
  c.channels = {.search = integer(channels, "search"),
                .collective = integer(channels, "coll"),
                .nvls = integer(channels, "nvls"),
                .p2p = integer(channels, "p2p"),
                .p2p_per_peer = integer(channels, "p2pPerPeer")};
  return c;
}

NcclCase read_case(std::string_view name, const ConfigNode& node) {
  const fs::path folder = fs::path(node.file()).parent_path();
  NcclCase result{.name = std::string(name),
                  .node_file = (folder / (text(node, "system") + ".xml")).string(),
                  .communicator = communicator(node),
                  .entries = {},
                  .choices = {}};
  for (const ConfigNode& entry : member(node, "model").elements()) {
    result.entries.push_back(
        {nccl_kind(text(entry, "coll")).value(), nccl_algorithm(text(entry, "algo")).value(),
         nccl_protocol(text(entry, "proto")).value(), member(entry, "lat_us").number().value(),
         member(entry, "bw_GBps").number().value()});
  }
  for (const auto& [kind, list] : member(node, "select").members()) {
    for (const ConfigNode& choice : list.elements()) {
      result.choices.push_back({nccl_kind(kind).value(), member(choice, "bytes").integer().value(),
                                nccl_algorithm(text(choice, "algo")).value(),
                                nccl_protocol(text(choice, "proto")).value(),
                                member(choice, "est_us").number().value()});
    }
  }
  return result;
}

Graph simple_graph(GraphPattern pattern, int channels, float intra, float inter, PathType inside) {
  Graph graph;
  graph.pattern = pattern;
  graph.channels = channels;
  graph.bandwidth_intra = intra;
  graph.bandwidth_inter = inter;
  graph.type_intra = inside;
  graph.type_inter = PathType::pix;
  return graph;
}

}  // namespace

std::vector<NcclCase> nccl_cases() {
  std::vector<NcclCase> cases;
  const auto file = cases_file();
  if (!file) return cases;
  const ConfigNode root = ConfigNode::read(*file);
  for (const auto& [name, node] : member(root, "cases").members())
    cases.push_back(read_case(name, node));
  return cases;
}

Communicator dgx_h100(int nodes) {
  Communicator c;
  c.nodes = nodes;
  c.ranks = 8 * nodes;
  c.min_compute_capability = c.max_compute_capability = 90;
  c.cpu_vendor = CpuVendor::intel;
  c.nvswitch = c.nvls_support = true;
  const bool one = nodes == 1;
  const float bw = one ? 30 : 48;
  const int channels = one ? 12 : 8;
  c.graphs[0] = simple_graph(GraphPattern::ring, channels, bw, bw, PathType::nvl);
  c.graphs[1] = simple_graph(one ? GraphPattern::balanced_tree : GraphPattern::tree, channels, bw,
                             bw, PathType::nvl);
  c.graphs[3] = simple_graph(GraphPattern::nvls, 8, 40, one ? 60.0f : 48.0f, PathType::nvl);
  c.channels = {.search = channels,
                .collective = 2 * channels,
                .nvls = 16,
                .p2p = one ? 32 : 16,
                .p2p_per_peer = one ? 32 : 4};
  return c;
}

Communicator single_h100(int nodes) {
  Communicator c = dgx_h100(nodes);
  c.ranks = nodes;
  c.nvls_support = false;
  c.graphs[0] = simple_graph(GraphPattern::ring, 2, 24, 24, PathType::loc);
  c.graphs[1] = simple_graph(GraphPattern::tree, 2, 48, 24, PathType::loc);
  c.graphs[3].reset();
  c.channels = {.search = 2, .collective = 4, .nvls = 0, .p2p = 4, .p2p_per_peer = 4};
  return c;
}

}  // namespace railyard::collectives::nccl
