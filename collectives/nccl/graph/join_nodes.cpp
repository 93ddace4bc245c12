#include <algorithm>
#include <limits>

#include "collectives/nccl/search/channel_counts.hpp"
#include "collectives/nccl/search/node_search.hpp"

namespace railyard::collectives::nccl {
namespace {

/// The graph that two nodes both support (NCCL 2.30.7, src/init.cc, after the exchange of
/// graphInfo).
void keep_common(std::optional<Graph>& graph, const std::optional<Graph>& other) {
  if (!graph || !other) {
    graph.reset();
    return;
  }
  graph->channels = std::min(graph->channels, other->channels);
  graph->same_channels = graph->same_channels && other->same_channels;
  graph->bandwidth_intra = std::min(graph->bandwidth_intra, other->bandwidth_intra);
  graph->bandwidth_inter = std::min(graph->bandwidth_inter, other->bandwidth_inter);
  graph->type_intra = std::max(graph->type_intra, other->type_intra);
  graph->type_inter = std::max(graph->type_inter, other->type_inter);
  graph->cross_nic = std::max(graph->cross_nic, other->cross_nic);
  graph->pattern = std::max(graph->pattern, other->pattern);
}

void cut(std::optional<Graph>& graph, int channels) {
  if (!graph) return;
  graph->channels = channels;
  graph->orders.resize(static_cast<std::size_t>(channels));
}

/// Rings and trees use the same channels, on every node.
void equalise(Communicator& out) {
  const int channels =
      std::min(out.graph(GraphId::ring)->channels, out.graph(GraphId::tree)->channels);
  const auto cut_both = [channels](Graphs& graphs) {
    cut(graphs[static_cast<std::size_t>(GraphId::ring)], channels);
    cut(graphs[static_cast<std::size_t>(GraphId::tree)], channels);
  };
  cut_both(out.graphs);
  for (Graphs& graphs : out.node_graphs) cut_both(graphs);
  for (const GraphId id : {GraphId::nvls, GraphId::collnet_chain, GraphId::collnet_direct}) {
    auto& graph = out.graphs[static_cast<std::size_t>(id)];
    if (graph) cut(graph, graph->channels);
  }
}

void keep_common_facts(Communicator& out, const System& system) {
  out.min_compute_capability =
      std::min(out.min_compute_capability, system.min_compute_capability());
  out.max_compute_capability =
      std::max(out.max_compute_capability, system.max_compute_capability());
  if (system.cpus.front().vendor != out.cpu_vendor) out.cpu_vendor = CpuVendor::mixed;
  out.x86 = out.x86 && system.cpus.front().x86;
  out.nvswitch = out.nvswitch && system.count(VertexKind::nvs) > 0;
}

void count_channels(Communicator& out, std::span<const SearchedNode* const> kinds,
                    const SearchEnvironment& environment) {
  out.channel_origins = channel_origins(out, environment);
  const int p2p = limited_p2p_channels(static_cast<int>(out.channel_origins.size()), environment);
  float net_bandwidth = std::numeric_limits<float>::max();
  out.channels.p2p_wanted = std::numeric_limits<int>::max();
  for (const SearchedNode* node : kinds) {
    out.channels.p2p_wanted =
        std::min(out.channels.p2p_wanted,
                 p2p_channels_wanted(node->system, node->paths, environment, out.ranks, p2p));
    net_bandwidth =
        std::min(net_bandwidth, least_net_bandwidth(node->system, node->paths, environment));
  }
  out.net_bandwidth = net_bandwidth;
  out.channels = channel_counts(out, environment, net_bandwidth);
}

}  // namespace

Communicator join_nodes(std::span<const SearchedNode* const> kinds, int ranks, int nodes,
                        const SearchEnvironment& environment) {
  const SearchedNode& first = *kinds.front();
  Communicator out;
  out.ranks = ranks;
  out.nodes = nodes;
  out.graphs = first.graphs;
  out.fused_nets = first.system.fused;
  out.max_bandwidth = first.bounds.best_path;
  out.total_bandwidth = first.bounds.of_gpu;
  out.cpu_vendor = first.system.cpus.front().vendor;
  out.x86 = first.system.cpus.front().x86;
  out.nvswitch = first.system.count(VertexKind::nvs) > 0;
  out.min_compute_capability = first.system.min_compute_capability();
  out.max_compute_capability = first.system.max_compute_capability();
  for (const SearchedNode* node : kinds.subspan(1)) {
    for (std::size_t id = 0; id < kGraphIds; ++id) keep_common(out.graphs[id], node->graphs[id]);
    keep_common_facts(out, node->system);
  }
  if (kinds.size() > 1)
    for (const SearchedNode* node : kinds) out.node_graphs.push_back(node->graphs);
  equalise(out);
  out.nvls_support = out.graph(GraphId::nvls).has_value();
  out.collnet_support = out.graph(GraphId::collnet_chain).has_value();
  count_channels(out, kinds, environment);
  return out;
}

}  // namespace railyard::collectives::nccl
