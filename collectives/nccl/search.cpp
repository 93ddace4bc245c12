#include "collectives/nccl/search.hpp"

#include <algorithm>

#include "collectives/nccl/channel_counts.hpp"
#include "collectives/nccl/graph_search.hpp"
#include "collectives/nccl/local_nets.hpp"
#include "collectives/nccl/relaxation.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives::nccl {
namespace {

// NCCL 2.30.7 src/init.cc, initTransportsRank: rings have at most half of MAXCHANNELS.
constexpr int kMaxChannels = 64, kMaxRings = 32;
// src/include/device.h, NCCL_MAX_DIRECT_ARITY + 1: more GPUs to a node, and CollNet direct is not
// set up.
constexpr int kMaxDirectGpus = 8;

/// The searches of one node, in NCCL's order: each one starts with the links as the one before left
/// them.
class NodeSearches {
 public:
  NodeSearches(const System& system, const Paths& paths, const SearchEnvironment& environment,
               Communicator& communicator)
      : system_(system),
        environment_(environment),
        out_(communicator),
        ground_(system, paths, environment, communicator.nodes > 1) {}

  void run() {
    search(GraphId::ring, {.pattern = GraphPattern::ring, .max_channels = kMaxRings});
    const int rings = graph(GraphId::ring)->channels;
    search(GraphId::tree,
           {.pattern = GraphPattern::balanced_tree, .min_channels = rings, .max_channels = rings});
    search_collnet(rings);
    if (environment_.nvls_enable && system_.gpu_count() >= least_nvls_gpus())
      search(GraphId::nvls, {.pattern = GraphPattern::nvls, .max_channels = kMaxChannels});
    out_.nvls_support = graph(GraphId::nvls).has_value();
    equalise_channels();
  }

 private:
  /// 2.28 asks for three GPUs (src/transport/nvls.cc, ncclNvlsInit).
  [[nodiscard]] int least_nvls_gpus() const {
    return environment_.version == Version::v2_28 ? 3 : 2;
  }

  std::optional<Graph>& graph(GraphId id) { return out_.graphs[static_cast<std::size_t>(id)]; }

  void search(GraphId id, const GraphRequest& request) {
    graph(id) = to_graph(system_, search_graph(ground_, environment_, request), ground_.inter);
  }

  void search_collnet(int rings) {
    const bool sharp = std::ranges::any_of(system_.nets, &SystemNet::in_network_reduction);
    if (!environment_.collnet_enable || !sharp || !ground_.inter ||
        out_.nodes < environment_.collnet_node_threshold)
      return;
    search(GraphId::collnet_chain, {.pattern = GraphPattern::tree,
                                    .min_channels = rings,
                                    .max_channels = rings,
                                    .collnet = true});
    search(
        GraphId::collnet_direct,
        {.pattern = GraphPattern::collnet_direct, .max_channels = kMaxChannels, .collnet = true});
    out_.collnet_support = graph(GraphId::collnet_chain).has_value();
    if (!out_.collnet_support || system_.gpu_count() > kMaxDirectGpus)
      graph(GraphId::collnet_direct).reset();
  }

  /// Rings and trees use the same channels.
  void equalise_channels() {
    auto& ring = *graph(GraphId::ring);
    auto& tree = *graph(GraphId::tree);
    ring.channels = tree.channels = std::min(ring.channels, tree.channels);
    ring.orders.resize(static_cast<std::size_t>(ring.channels));
    tree.orders.resize(static_cast<std::size_t>(ring.channels));
  }

  const System& system_;
  const SearchEnvironment& environment_;
  Communicator& out_;
  SearchGround ground_;
};

void require_nics(const System& system, const Paths& paths, const SearchEnvironment& environment) {
  for (int gpu = 0; gpu < system.gpu_count(); ++gpu) {
    if (local_net(system, paths, environment, gpu, 0) >= 0) continue;
    throw InputError("", "",
                     "a GPU of the node reaches no NIC, and NCCL has other nodes to talk to",
                     "give the node a NIC, or stay within one node");
  }
}

}  // namespace

Communicator make_communicator(const System& system, int nodes,
                               const SearchEnvironment& environment) {
  const Paths paths = compute_paths(system, environment);
  if (nodes > 1) require_nics(system, paths, environment);
  const BandwidthBounds bounds = bandwidth_bounds(system, paths, nodes > 1);
  Communicator communicator;
  communicator.ranks = nodes * system.gpu_count();
  communicator.nodes = nodes;
  communicator.min_compute_capability = system.min_compute_capability();
  communicator.max_compute_capability = system.max_compute_capability();
  communicator.cpu_vendor = system.cpus.front().vendor;
  communicator.x86 = system.cpus.front().x86;
  communicator.nvswitch = system.count(VertexKind::nvs) > 0;
  communicator.max_bandwidth = bounds.best_path;
  communicator.total_bandwidth = bounds.of_gpu;
  NodeSearches(system, paths, environment, communicator).run();
  communicator.channel_origins = channel_origins(communicator, environment);
  const int p2p = p2p_channels(static_cast<int>(communicator.channel_origins.size()), environment);
  communicator.channels.p2p_wanted =
      p2p_channels_wanted(system, paths, environment, communicator.ranks, p2p);
  communicator.channels =
      channel_counts(communicator, environment, least_net_bandwidth(system, paths, environment));
  return communicator;
}

}  // namespace railyard::collectives::nccl
