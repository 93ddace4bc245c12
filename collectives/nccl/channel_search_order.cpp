#include <algorithm>
#include <tuple>

#include "collectives/nccl/channel_search.hpp"

namespace railyard::collectives::nccl {
namespace {

/// What decides which GPU is tried first; NCCL compares whole GB/s. Less is better.
struct Score {
  int gpu = 0;
  int net_bandwidth = 0, pcie_bandwidth = 0, net_hops = 0;  ///< of the way from the channel's NIC
  int bandwidth = 0, hops = 0;                              ///< of the way from the last GPU
  int distance = 0;                                         ///< in the order of GPUs

  [[nodiscard]] auto key() const {
    return std::tuple(-net_bandwidth, -pcie_bandwidth, net_hops, -bandwidth, hops, distance);
  }
};

/// Whole GB/s of a GPU's PCIe link, of the slower direction; -1: none.
int pcie_bandwidth(const System& system, int gpu) {
  for (const int id : system[system.vertex(VertexKind::dev, gpu)].links) {
    const SystemLink& link = system.links[static_cast<std::size_t>(id)];
    if (link.type != PathType::pix) continue;
    const SystemLink& back = system.links[static_cast<std::size_t>(link.reverse)];
    return static_cast<int>(std::min(link.bandwidth, back.bandwidth));
  }
  return -1;
}

bool all_alike(const std::vector<Score>& scores) {
  return std::ranges::all_of(scores, [&](const Score& score) {
    return score.bandwidth == scores.front().bandwidth && score.hops == scores.front().hops;
  });
}

}  // namespace

bool ChannelSearch::is_free(int from, int gpu) const {
  if (gpu == from || (used_[static_cast<std::size_t>(gpu)] >> trial_.channels & 1) != 0)
    return false;
  const System& system = ground_.system;
  return ground_.paths
             .between(system.vertex(VertexKind::gpu, from), system.vertex(VertexKind::gpu, gpu))
             .hops > 0;
}

std::vector<int> ChannelSearch::next_gpus(int gpu, Walk walk) const {
  if (ground_.system.count(VertexKind::nvs) > 0) return neighbours(gpu);
  return by_score(gpu, walk);
}

/// NVSwitches do best where a GPU talks to few others: the ones beside it, alone.
std::vector<int> ChannelSearch::neighbours(int gpu) const {
  const int before = (gpu - 1 + gpu_count()) % gpu_count(), after = (gpu + 1) % gpu_count();
  std::vector<int> next;
  const auto add = [&](int peer) {
    if (is_free(gpu, peer) && std::ranges::find(next, peer) == next.end()) next.push_back(peer);
  };
  switch (trial_.pattern) {
    case GraphPattern::ring: add(before), add(after); break;
    case GraphPattern::balanced_tree:
    case GraphPattern::split_tree: add(after), add(before); break;
    default: add(after); break;
  }
  return next;
}

std::vector<int> ChannelSearch::by_score(int gpu, Walk walk) const {
  const System& system = ground_.system;
  const Paths& paths = ground_.paths;
  const int here = system.vertex(VertexKind::gpu, gpu);
  std::vector<Score> scores;
  for (int distance = 1; distance < gpu_count(); ++distance) {
    const int peer = (gpu + distance) % gpu_count();
    if (!is_free(gpu, peer)) continue;
    const int there = system.vertex(VertexKind::gpu, peer);
    const Path& path = paths.between(here, there);
    Score score{.gpu = peer,
                .bandwidth = static_cast<int>(path.bandwidth),
                .hops = path.hops,
                .distance = distance};
    if (walk.to_net >= 0) {
      const int port = system.vertex(VertexKind::net, trial_.net(trial_.channels).in);
      const Path& in = paths.between(port, there);
      score.net_bandwidth = static_cast<int>(in.bandwidth);
      score.pcie_bandwidth = pcie_bandwidth(system, peer);
      score.net_hops = in.hops;
    }
    scores.push_back(score);
  }
  std::ranges::sort(scores, {}, &Score::key);
  // Where only the network tells GPUs apart, and it is not yet time to return to it, keep the best
  // last.
  const bool later = walk.to_net >= 0 && walk.to_net != walk.step + 1;
  if (later && !scores.empty() && all_alike(scores)) std::ranges::reverse(scores);
  std::vector<int> next;
  for (const Score& score : scores) next.push_back(score.gpu);
  return next;
}

}  // namespace railyard::collectives::nccl
