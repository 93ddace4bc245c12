#include "collectives/nccl/search/channel_counts.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "collectives/nccl/graph/compute_capability.hpp"
#include "collectives/nccl/graph/local_nets.hpp"

namespace railyard::collectives::nccl {
namespace {

// NCCL 2.30.7 src/include/nccl_common.h, MAXCHANNELS; src/include/device.h,
// NCCL_MAX_DEV_WORK_P2P_PER_BATCH.
constexpr int kMaxChannels = 64, kPeersPerBatch = 8;
// src/graph/connect.cc, ncclTopoPostset: sm_90 rings that need more channels to fill the link.
constexpr float kFastRing = 45;
constexpr int kFewChannels = 16;
// src/transport/nvls.cc, NVLS_NCHANNELS_SM90, _SM100, _SM100_NVL.
constexpr int kNvlsHopper = 16, kNvlsBlackwell = 32, kNvlsBlackwellOneNode = 24;

int power_of_two_from(int n) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(n))); }
int divide_up(int a, int b) { return (a + b - 1) / b; }

/// The number of NICs that fit into the bandwidth between the GPU and its CPU, and their total
/// bandwidth in GB/s.
struct NetShare {
  int count = 0;
  float bandwidth = 0;
};

NetShare net_share(const System& system, const Paths& paths, const SearchEnvironment& environment,
                   int gpu) {
  const int vertex = system.vertex(VertexKind::gpu, gpu);
  const int cpu = system.vertex(VertexKind::cpu, local_cpu(system, paths, environment, gpu));
  const float limit = paths.between(vertex, cpu).bandwidth;
  NetShare share;
  for (const int net : local_nets(system, paths, environment, gpu)) {
    share.bandwidth += paths.between(vertex, system.vertex(VertexKind::net, net)).bandwidth;
    ++share.count;
    if (share.bandwidth >= limit) break;
  }
  return share;
}

/// 2.28: the number of nearest NICs that fit into the bandwidth of the GPU's direct link to a CPU;
/// 0 for a GPU below a PCIe switch, which has no such link.
int nets_by_bandwidth(const System& system, const Paths& paths, int gpu) {
  float limit = 0;
  for (const int id : system[system.vertex(VertexKind::dev, gpu)].links) {
    const SystemLink& link = system.links[static_cast<std::size_t>(id)];
    if (system[link.to].kind == VertexKind::cpu) limit = link.bandwidth;
  }
  const int vertex = system.vertex(VertexKind::gpu, gpu);
  int count = 0;
  float total = 0;
  for (const int net : nearest(system, paths, vertex, VertexKind::net).indices) {
    if (total >= limit) break;
    total += paths.between(vertex, system.vertex(VertexKind::net, net)).bandwidth;
    ++count;
  }
  return count;
}

int wanted_over_network(const System& system, const Paths& paths,
                        const SearchEnvironment& environment, int gpu, int ranks, int p2p) {
  if (environment.channels_per_net_peer) return *environment.channels_per_net_peer;
  int channels = 2;
  if (environment.version == Version::v2_28) {
    while (channels * ranks > p2p * 4 && channels > 1) channels /= 2;
    return std::max(nets_by_bandwidth(system, paths, gpu), channels);
  }
  const NetShare share = net_share(system, paths, environment, gpu);
  if (share.count == 0) return channels;
  return std::max(share.count, divide_up(static_cast<int>(share.bandwidth),
                                         environment.p2p_channel_net_bandwidth));
}

int wanted_inside(const System& system, const Path& path) {
  if (path.type != PathType::nvl && path.type != PathType::nvb) return 2;
  return 2 * std::max(1, static_cast<int>(path.bandwidth / system.nvlink_bandwidth));
}

int min_ctas(const SearchEnvironment& environment) {
  return std::min(environment.min_ctas.value_or(1), kMaxChannels);
}
int max_ctas(const SearchEnvironment& environment) {
  return std::min(environment.max_ctas.value_or(kMaxChannels), kMaxChannels);
}

/// The table of ncclNvlsTreeSm100Tuning (NCCL 2.30.7 src/transport/nvls.cc). Its input is the
/// bandwidth of a GPU's NIC in GB/s.
int retuned_nvls(const Communicator& communicator, float net_bandwidth, int channels) {
  constexpr float kNdr = 48, kXdr = 96;
  constexpr int kSmallNode = 8;
  if (communicator.nodes == 2 && net_bandwidth >= kNdr) return kNvlsBlackwell;
  if (net_bandwidth >= kXdr)
    return communicator.ranks_per_node() <= kSmallNode ? kNvlsBlackwellOneNode : kNvlsBlackwell;
  return net_bandwidth >= kNdr ? kNvlsBlackwellOneNode : channels;
}

void count_nvls(const Communicator& communicator, const SearchEnvironment& environment,
                float net_bandwidth, ChannelCounts& counts) {
  if (!communicator.nvls_support) return;
  const auto limited = [&](int channels) {
    return std::max(min_ctas(environment),
                    std::min(max_ctas(environment), environment.nvls_channels.value_or(channels)));
  };
  int channels = kNvlsHopper;
  if (communicator.min_compute_capability >= kBlackwell)
    channels = communicator.nodes > 1 ? kNvlsBlackwell : kNvlsBlackwellOneNode;
  counts.nvls = counts.nvls_retuned = limited(channels);
  if (communicator.min_compute_capability >= kBlackwell && communicator.nodes > 1 &&
      environment.version != Version::v2_28)
    counts.nvls_retuned = limited(retuned_nvls(communicator, net_bandwidth, channels));
}

}  // namespace

int p2p_channels_wanted(const System& system, const Paths& paths,
                        const SearchEnvironment& environment, int ranks, int p2p_channels) {
  int fewest = environment.version == Version::v2_28 ? p2p_channels : kMaxChannels;
  for (int gpu = 0; gpu < system.gpu_count(); ++gpu) {
    for (int peer = 0; peer < system.gpu_count(); ++peer) {
      if (peer == gpu) continue;
      const Path& path =
          paths.between(system.vertex(VertexKind::gpu, peer), system.vertex(VertexKind::gpu, gpu));
      fewest = std::min(fewest, wanted_inside(system, path));
    }
    if (ranks > system.gpu_count())
      fewest = std::min(fewest,
                        wanted_over_network(system, paths, environment, gpu, ranks, p2p_channels));
  }
  return fewest;
}

float least_net_bandwidth(const System& system, const Paths& paths,
                          const SearchEnvironment& environment) {
  float least = std::numeric_limits<float>::max();
  for (int gpu = 0; gpu < system.gpu_count(); ++gpu) {
    for (const int net : local_nets(system, paths, environment, gpu)) {
      const Path& path =
          paths.between(system.vertex(VertexKind::gpu, gpu), system.vertex(VertexKind::net, net));
      least = std::min(least, path.bandwidth);
    }
  }
  return least == std::numeric_limits<float>::max() ? 0 : least;
}

std::vector<int> channel_origins(const Communicator& communicator,
                                 const SearchEnvironment& environment) {
  const std::optional<Graph>& ring = communicator.graph(GraphId::ring);
  const std::optional<Graph>& chain = communicator.graph(GraphId::collnet_chain);
  std::vector<int> origins(static_cast<std::size_t>(std::min(kMaxChannels, 2 * ring->channels)));
  std::iota(origins.begin(), origins.end(), 0);
  const auto copy_up_to = [&origins](int channels) {
    const std::size_t start = origins.size();
    while (std::ssize(origins) < std::min(channels, kMaxChannels))
      origins.push_back(origins[origins.size() - start]);
  };
  const auto count = [&origins] { return static_cast<int>(origins.size()); };
  if (communicator.collnet_support && chain && chain->bandwidth_intra > chain->bandwidth_inter &&
      communicator.ranks > communicator.nodes)
    copy_up_to(count() + count() / 2);
  if (communicator.min_compute_capability >= kHopper && communicator.nodes > 1 &&
      ring->bandwidth_intra > kFastRing && count() < kFewChannels)
    copy_up_to(2 * count());
  const int most =
      std::min(std::max(1, environment.max_channels.value_or(kMaxChannels)), max_ctas(environment));
  if (count() > most) origins.resize(static_cast<std::size_t>(most));
  copy_up_to(std::max(environment.min_channels.value_or(0), min_ctas(environment)));
  return origins;
}

int limited_p2p_channels(int collective, const SearchEnvironment& environment) {
  const int most = environment.max_p2p_channels.value_or(kMaxChannels);
  const int least = environment.min_p2p_channels.value_or(1);
  return std::max(std::min(collective, most), least);
}

int p2p_channels(int collective, const SearchEnvironment& environment) {
  return std::min(kMaxChannels, power_of_two_from(limited_p2p_channels(collective, environment)));
}

ChannelCounts channel_counts(const Communicator& communicator, const SearchEnvironment& environment,
                             float net_bandwidth) {
  ChannelCounts counts{.search = communicator.graph(GraphId::ring)->channels,
                       .collective = static_cast<int>(communicator.channel_origins.size()),
                       .p2p_wanted = communicator.channels.p2p_wanted};
  counts.p2p = p2p_channels(counts.collective, environment);
  count_nvls(communicator, environment, net_bandwidth, counts);
  int per_peer = power_of_two_from(counts.p2p_wanted);
  const int peers =
      std::min(communicator.ranks, environment.max_p2p_peers.value_or(communicator.ranks));
  const bool fit_one_round = communicator.nodes > 1 && !environment.channels_per_net_peer &&
                             environment.version != Version::v2_28;
  while (fit_one_round && per_peer > 1 && per_peer * divide_up(peers, kPeersPerBatch) > counts.p2p)
    per_peer /= 2;
  counts.p2p_per_peer = fit_one_round ? per_peer : std::min(counts.p2p, per_peer);
  return counts;
}

}  // namespace railyard::collectives::nccl
