#include <algorithm>
#include <tuple>

#include "collectives/nccl/search/channel_search.hpp"

namespace railyard::collectives::nccl {
namespace {

/// Whole GB/s that channels have left of a GPU's PCIe link, of the fuller direction; -1: none.
int pcie_bandwidth(const System& system, const LinkBudget& budget, int gpu) {
  for (const int id : system[system.vertex(VertexKind::dev, gpu)].links) {
    const SystemLink& link = system.links[static_cast<std::size_t>(id)];
    if (link.type != PathType::pix) continue;
    return static_cast<int>(std::min(budget.left(id), budget.left(link.reverse)));
  }
  return -1;
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

void ChannelSearch::push_next_gpus(int gpu, Walk walk) {
  if (ground_.system.count(VertexKind::nvs) > 0) {
    push_neighbours(gpu);
  } else {
    push_by_score(gpu, walk);
  }
}

/// NVSwitches do best where a GPU talks to few others: the ones beside it, alone.
void ChannelSearch::push_neighbours(int gpu) {
  const int before = (gpu - 1 + gpu_count()) % gpu_count(), after = (gpu + 1) % gpu_count();
  const auto push = [&](int peer) {
    if (is_free(gpu, peer)) stack_.push_back(peer);
  };
  switch (trial_.pattern) {
    case GraphPattern::ring:
      push(before);
      if (after != before) push(after);
      break;
    case GraphPattern::balanced_tree:
    case GraphPattern::split_tree:
      push(after);
      if (after != before) push(before);
      break;
    default: push(after); break;
  }
}

void ChannelSearch::push_by_score(int gpu, Walk walk) {
  const System& system = ground_.system;
  const Paths& paths = ground_.paths;
  const int here = system.vertex(VertexKind::gpu, gpu);
  scores_.clear();
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
      score.pcie_bandwidth = pcie_bandwidth(system, ground_.budget, peer);
      score.net_hops = in.hops;
    }
    scores_.push_back(score);
  }
  std::ranges::sort(scores_, {}, [](const Score& s) {
    return std::tuple(-s.net_bandwidth, -s.pcie_bandwidth, s.net_hops, -s.bandwidth, s.hops,
                      s.distance);
  });
  // Where only the network tells GPUs apart, and it is not yet time to return to it, keep the best
  // last.
  const bool later = walk.to_net >= 0 && walk.to_net != walk.step + 1;
  const bool alike = std::ranges::all_of(scores_, [this](const Score& score) {
    return score.bandwidth == scores_.front().bandwidth && score.hops == scores_.front().hops;
  });
  if (later && alike) std::ranges::reverse(scores_);
  for (const Score& score : scores_) stack_.push_back(score.gpu);
}

}  // namespace railyard::collectives::nccl
