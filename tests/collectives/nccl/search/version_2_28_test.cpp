#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include "collectives/nccl/graph/names.hpp"
#include "collectives/nccl/graph/node_split.hpp"
#include "collectives/nccl/search/search.hpp"
#include "collectives/nccl/search/search_variables.hpp"
#include "collectives/nccl/tuning/tuning_model.hpp"
#include "topology/formats/nccl_xml.hpp"

// Graphs, channels and tuning tables that NCCL 2.28.9 itself computes for the nodes in nccl_2_28/:
// made-up machines of many kinds (without NVSwitch, several NUMA domains, switches that show two
// levels, C2C, NICs that share a card, fewer and more NICs than GPUs, GPUs in another order than
// their PCIe tree), with one NCCL variable set; in the later ones NCCL
// fuses ports and NICs, or splits the node. cases.json says how its lines were made.
namespace railyard::collectives::nccl {
namespace {

namespace fs = std::filesystem;

fs::path folder() { return fs::path(RAILYARD_SOURCE_DIR) / "tests/collectives/nccl_2_28"; }

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void add_graph(std::vector<std::string>& lines, const std::string& name,
               const std::optional<Graph>& graph) {
  if (!graph) return;
  lines.push_back(
      fmt::format("{} pattern {} crossNic {} nChannels {} bw {:g}/{:g} type {}/{} "
                  "same {} lat {:g}",
                  name, static_cast<int>(graph->pattern), graph->cross_nic, graph->channels,
                  graph->bandwidth_intra, graph->bandwidth_inter, to_text(graph->type_intra),
                  to_text(graph->type_inter), graph->same_channels ? 1 : 0, graph->latency_inter));
  int channel = 0;
  for (const GraphChannel& order : graph->orders) {
    std::string line = fmt::format("{} {}:", name, channel++);
    if (order.net_in >= 0) line += fmt::format(" NET{}", order.net_in);
    line += fmt::format(" {}", fmt::join(order.gpus, " "));
    if (order.net_out >= 0) line += fmt::format(" NET{}", order.net_out);
    lines.push_back(line);
  }
}

void add_tuning(std::vector<std::string>& lines, const Communicator& communicator) {
  const TuningModel model = make_tuning_model(communicator, Version::v2_28);
  for (const Kind kind :
       {Kind::broadcast, Kind::reduce, Kind::all_gather, Kind::reduce_scatter, Kind::all_reduce}) {
    for (const TuningAlgorithm algorithm : kAllTuningAlgorithms) {
      for (const Protocol protocol : kAllProtocols) {
        const TuningEntry& entry = model.entry(kind, algorithm, protocol);
        if (entry.bandwidth <= 0) continue;
        lines.push_back(fmt::format("tune {} {} {} {:g} {:g}", to_text(kind),
                                    core::enum_name(algorithm), core::enum_name(protocol),
                                    entry.latency, entry.bandwidth));
      }
    }
  }
}

void add_graphs(std::vector<std::string>& lines, const Graphs& graphs) {
  constexpr std::pair<const char*, GraphId> kNames[] = {{"ring", GraphId::ring},
                                                        {"tree", GraphId::tree},
                                                        {"chain", GraphId::collnet_chain},
                                                        {"direct", GraphId::collnet_direct},
                                                        {"nvls", GraphId::nvls}};
  for (const auto& [name, id] : kNames)
    add_graph(lines, name, graphs[static_cast<std::size_t>(id)]);
}

/// The part of a node that a rank is in, where NCCL splits it; GPUs by rank in the whole node.
std::vector<std::string> part_lines(const System& system, int nodes, int rank,
                                    const SearchEnvironment& environment) {
  const std::vector<NodePart> parts = split_node(system, environment);
  const auto part = std::ranges::find_if(
      parts, [&](const NodePart& one) { return std::ranges::count(one.ranks, rank) > 0; });
  SearchedNode found =
      search_node(part->system, nodes * static_cast<int>(parts.size()), environment);
  for (auto& graph : found.graphs) {
    if (!graph) continue;
    for (GraphChannel& channel : graph->orders)
      for (int& gpu : channel.gpus) gpu = part->ranks[static_cast<std::size_t>(gpu)];
  }
  std::vector<std::string> lines{
      fmt::format("maxBw {:g} totalBw {:g}", found.bounds.best_path, found.bounds.of_gpu)};
  add_graphs(lines, found.graphs);
  return lines;
}

std::vector<std::string> lines_of(const nlohmann::json& expected) {
  SearchEnvironment environment;
  environment.version = Version::v2_28;
  for (const auto& [name, value] : expected["environment"].items()) {
    const SearchVariable* variable = find_search_variable(name);
    EXPECT_TRUE(variable != nullptr && variable->set(environment, value.get<std::string>()))
        << name;
  }
  const auto file = expected["file"].get<std::string>();
  const topology::NodeSpec node = topology::import_nccl_xml(read(folder() / file), file);
  // NCCL fuses NICs while it builds its XML; most cases begin after that.
  if (!expected.value("fused", false)) environment.merge_level = PathType::loc;
  std::vector<int> gpus(static_cast<std::size_t>(node.gpu_count()));
  std::iota(gpus.begin(), gpus.end(), 0);
  const System system = make_system(node, gpus, environment);
  if (expected.contains("part_of_rank"))
    return part_lines(system, expected["nodes"].get<int>(), expected["part_of_rank"].get<int>(),
                      environment);
  environment.net_disable_intra = true;
  const Communicator found = make_communicator(system, expected["nodes"].get<int>(), environment);
  std::vector<std::string> lines{
      fmt::format("maxBw {:g} totalBw {:g}", found.max_bandwidth, found.total_bandwidth)};
  add_graphs(lines, found.graphs);
  lines.push_back(
      fmt::format("channels search {} coll {}", found.channels.search, found.channels.collective));
  lines.push_back(
      fmt::format("p2p {} perPeer {}", found.channels.p2p, found.channels.p2p_per_peer));
  add_tuning(lines, found);
  return lines;
}

TEST(Nccl228, GraphsChannelsAndTuningTablesAreThoseOfNccl) {
  const auto cases = nlohmann::json::parse(read(folder() / "cases.json"))["cases"];
  ASSERT_EQ(cases.size(), 42U);
  for (const auto& expected : cases)
    EXPECT_EQ(lines_of(expected), expected["lines"].get<std::vector<std::string>>())
        << expected["file"] << " on " << expected["nodes"] << " nodes";
}

}  // namespace
}  // namespace railyard::collectives::nccl
