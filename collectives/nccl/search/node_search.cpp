#include "collectives/nccl/search/node_search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/nccl/graph/graph_xml.hpp"
#include "collectives/nccl/graph/local_nets.hpp"
#include "collectives/nccl/search/graph_search.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives::nccl {
namespace {

// NCCL 2.30.7 src/init.cc, initTransportsRank: rings have at most half of MAXCHANNELS.
constexpr int kMaxChannels = 64, kMaxRings = 32;

Graphs given_graphs(const SearchedNode& node, const SearchEnvironment& environment) {
  if (environment.graph_file.empty()) return {};
  return read_graph_xml(core::read_text_file(environment.graph_file), environment.graph_file,
                        node.system, node.inter);
}

/// The searches of one node, in NCCL's order. Each starts with the link bandwidths that the
/// previous search left.
class Searches {
 public:
  Searches(SearchedNode& node, int nodes, const SearchEnvironment& environment)
      : node_(node),
        nodes_(nodes),
        environment_(environment),
        given_(given_graphs(node, environment)),
        resources_(node.system, node.paths, environment, node.inter) {}

  void run() {
    search(GraphId::ring, {.pattern = GraphPattern::ring, .max_channels = kMaxRings});
    const int rings = graph(GraphId::ring)->channels;
    search(GraphId::tree,
           {.pattern = GraphPattern::balanced_tree, .min_channels = rings, .max_channels = rings});
    search_collnet(rings);
    if (environment_.nvls_enable && node_.system.gpu_count() >= least_nvls_gpus())
      search(GraphId::nvls, {.pattern = GraphPattern::nvls, .max_channels = kMaxChannels});
  }

 private:
  /// 2.28 requires three GPUs for NVLS (src/transport/nvls.cc, ncclNvlsInit).
  [[nodiscard]] int least_nvls_gpus() const {
    return environment_.version == Version::v2_28 ? 3 : 2;
  }

  std::optional<Graph>& graph(GraphId id) { return node_.graphs[static_cast<std::size_t>(id)]; }

  void search(GraphId id, const GraphRequest& request) {
    graph(id) = given_[static_cast<std::size_t>(id)];
    if (graph(id)) return;
    graph(id) =
        to_graph(node_.system, search_graph(resources_, environment_, request), node_.inter);
  }

  void search_collnet(int rings) {
    const bool sharp = std::ranges::any_of(node_.system.nets, &SystemNet::in_network_reduction);
    if (!environment_.collnet_enable || !sharp || !node_.inter ||
        nodes_ < environment_.collnet_node_threshold)
      return;
    search(GraphId::collnet_chain, {.pattern = GraphPattern::tree,
                                    .min_channels = rings,
                                    .max_channels = rings,
                                    .collnet = true});
    search(
        GraphId::collnet_direct,
        {.pattern = GraphPattern::collnet_direct, .max_channels = kMaxChannels, .collnet = true});
    if (!graph(GraphId::collnet_chain)) graph(GraphId::collnet_direct).reset();
  }

  SearchedNode& node_;
  int nodes_;
  const SearchEnvironment& environment_;
  Graphs given_;  ///< by NCCL_GRAPH_FILE
  NodeResources resources_;
};

void require_nics(const SearchedNode& node, const SearchEnvironment& environment) {
  for (int gpu = 0; gpu < node.system.gpu_count(); ++gpu) {
    if (local_net(node.system, node.paths, environment, gpu, 0) >= 0) continue;
    throw InputError(
        "", "",
        fmt::format("node '{}': GPU {} reaches no NIC, and NCCL has other nodes to talk to",
                    node.system.name, node.system.gpus[static_cast<std::size_t>(gpu)].dev),
        "give the node a NIC, or stay within one node");
  }
}

}  // namespace

SearchedNode search_node(System system, int nodes, const SearchEnvironment& environment) {
  Paths paths = compute_paths(system, environment);
  SearchedNode node{.system = std::move(system), .paths = std::move(paths), .inter = nodes > 1};
  if (node.inter) require_nics(node, environment);
  node.bounds = bandwidth_bounds(node.system, node.paths, node.inter, environment.version);
  Searches(node, nodes, environment).run();
  return node;
}

}  // namespace railyard::collectives::nccl
