#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

#include "collectives/nccl/search/search.hpp"
#include "collectives/nccl/tuning/tuning_choice.hpp"
#include "core/diagnostic.hpp"
#include "topology/formats/nccl_xml.hpp"

// Search and tuning on every node whose topology was found in public repositories (truth/topo) and
// on the synthetic ones (truth/nccl_model), where they are at hand: each must come out plausible.
namespace railyard::collectives::nccl {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> truth_folder(const std::string& name) {
  for (const char* up : {".", "..", "../.."}) {
    const fs::path found = fs::path(RAILYARD_SOURCE_DIR) / up / "../shared/truth" / name;
    if (fs::exists(found)) return found;
  }
  return std::nullopt;
}

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

struct NamedSystem {
  std::string file;
  System system;
};

/// NVIDIA's nodes: RCCL searches AMD's by rules of its own. Files that cannot be read are left out
/// here; the importer's tests say which and why.
std::vector<NamedSystem> systems_of(const fs::path& folder) {
  std::vector<NamedSystem> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (entry.path().extension() != ".xml" || file.starts_with("ROCm")) continue;
    try {
      topology::NodeSpec node = topology::import_nccl_xml(read(entry.path()), file);
      if (node.gpu_count() > 0) found.push_back({file, make_system(node)});
    } catch (const InputError&) {
    }
  }
  std::ranges::sort(found, {}, &NamedSystem::file);
  return found;
}

std::vector<NamedSystem> all_systems() {
  std::vector<NamedSystem> found;
  for (const std::string name : {"topo", "nccl_model"})
    if (const auto folder = truth_folder(name))
      for (NamedSystem& system : systems_of(*folder)) found.push_back(std::move(system));
  return found;
}

void expect_permutations(const Graph& graph, int gpus, const std::string& where) {
  for (const GraphChannel& channel : graph.orders) {
    if (graph.pattern == GraphPattern::nvls) continue;  // heads alone
    const std::set<int> seen(channel.gpus.begin(), channel.gpus.end());
    EXPECT_EQ(static_cast<int>(seen.size()), gpus) << where;
    EXPECT_EQ(*seen.begin(), 0) << where;
    EXPECT_EQ(*seen.rbegin(), gpus - 1) << where;
  }
}

/// GB/s that leave the node at most: of every NIC what its link to the node lets through.
float network_of(const System& system) {
  return std::accumulate(system.nets.begin(), system.nets.end(), 0.0F,
                         [](float sum, const SystemNet& net) { return sum + net.bandwidth; });
}

void expect_plausible(const NamedSystem& named, int nodes, Version version) {
  const std::string where = fmt::format("{} on {} nodes, NCCL {}", named.file, nodes,
                                        version == Version::v2_28 ? "2.28" : "2.30");
  SearchEnvironment environment;
  environment.version = version;
  const Communicator found = make_communicator(named.system, nodes, environment);
  for (const GraphId id : {GraphId::ring, GraphId::tree}) {
    ASSERT_TRUE(found.graph(id).has_value()) << where;
    const Graph& graph = *found.graph(id);
    EXPECT_GE(graph.channels, 1) << where;
    EXPECT_GT(graph.bandwidth_intra, 0) << where;
    expect_permutations(graph, named.system.gpu_count(), where);
    // 0.1 GB/s is NCCL's own way out. A channel's bandwidth is what the path holds, or, of trees
    // inside a node, up to twice that of the network.
    EXPECT_LE(graph.bandwidth_inter, std::max(found.max_bandwidth, 0.1F)) << where;
    if (nodes > 1) {
      EXPECT_LE(static_cast<float>(graph.channels) * graph.bandwidth_inter,
                network_of(named.system) + 1)
          << where;
    }
  }
  EXPECT_EQ(found.graph(GraphId::ring)->channels, found.graph(GraphId::tree)->channels) << where;
  EXPECT_GE(found.channels.collective, 1) << where;
  EXPECT_LE(found.channels.collective, 64) << where;
  EXPECT_GE(found.channels.p2p, found.channels.p2p_per_peer) << where;
}

/// us that NCCL expects of an all-reduce of 1 GiB.
float time_of(const NamedSystem& named, int nodes) {
  const TuningModel model =
      make_tuning_model(make_communicator(named.system, nodes), Version::v2_30);
  const auto choice = choose(model, {.bytes = std::int64_t{1} << 30});
  return choice ? choice->time_us : -1;
}

TEST(SlowNcclSweep, EverySystemOfTheTruthFilesComesOutPlausible) {
  const std::vector<NamedSystem> systems = all_systems();
  if (systems.empty()) GTEST_SKIP() << "no ../shared/truth beside this checkout";
  EXPECT_GE(systems.size(), 50U);
  for (const NamedSystem& named : systems) {
    for (const int nodes : {1, 2, 3, 4, 8, 16}) {
      if (nodes > 1 && named.system.net_count() == 0) continue;
      for (const Version version : {Version::v2_28, Version::v2_30})
        expect_plausible(named, nodes, version);
    }
  }
}

// With more nodes NCCL expects an all-reduce of 1 GiB to take no less time. From one node to
// several and up to two it may: a NIC can be faster than the way between sockets, and a tree on two
// nodes passes each NIC once.
TEST(SlowNcclSweep, MoreNodesTakeNoLessTime) {
  const std::vector<NamedSystem> systems = all_systems();
  if (systems.empty()) GTEST_SKIP() << "no ../shared/truth beside this checkout";
  for (const NamedSystem& named : systems) {
    if (named.system.net_count() == 0) continue;
    float before = 0;
    for (const int nodes : {3, 4, 8, 16}) {
      const float time = time_of(named, nodes);
      EXPECT_GE(time, before) << named.file << " on " << nodes << " nodes";
      before = time;
    }
  }
}

}  // namespace
}  // namespace railyard::collectives::nccl
