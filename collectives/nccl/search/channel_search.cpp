#include "collectives/nccl/search/channel_search.hpp"

#include <algorithm>
#include <tuple>

namespace railyard::collectives::nccl {
namespace {

unsigned bit(const Paths& paths, int from, int to) {
  return 1U << static_cast<unsigned>(paths.between(from, to).type);
}

}  // namespace

NodeResources::NodeResources(const System& system_in, const Paths& paths_in,
                             const SearchEnvironment& environment, bool inter_in)
    : system(system_in),
      paths(paths_in),
      inter(inter_in),
      railed(environment.version != Version::v2_28),
      nets(system_in, paths_in, environment),
      budget(system_in, paths_in) {
  for (const SystemNet& net : system.nets) net_left.push_back(net.bandwidth);
  for (const int gpu : system.all(VertexKind::gpu)) {
    for (const int peer : system.all(VertexKind::gpu)) types_intra |= bit(paths, gpu, peer);
    for (const int net : system.all(VertexKind::net))
      types_inter |= bit(paths, gpu, net) | bit(paths, net, gpu);
  }
}

bool is_better(const Candidate& found, const Candidate& than) {
  if (found.channels < found.min_channels) return false;
  const auto total = [](const Candidate& graph, float bandwidth) {
    return static_cast<float>(graph.channels) * bandwidth;
  };
  if (found.pattern == GraphPattern::nvls) {
    const bool more_heads =
        found.channels > than.channels && found.channels <= static_cast<int>(found.gpu_count);
    return more_heads || total(found, found.bandwidth_inter) > total(than, than.bandwidth_inter);
  }
  const float mine = total(found, found.bandwidth_intra), other = total(than, than.bandwidth_intra);
  if (mine != other) return mine > other;
  return found.pattern == than.pattern && found.cross_nic == than.cross_nic &&
         found.hops < than.hops;
}

std::int64_t ChannelSearch::run(std::int64_t steps) {
  time_ = steps;
  trial_.channels = 0;
  add_channel();
  return time_;
}

ChannelSearch::Walk ChannelSearch::first_walk(Order order) const {
  Walk walk{.order = order};
  const bool ring = trial_.pattern == GraphPattern::ring;
  if (!resources_.inter) {
    walk.to_first = ring ? gpu_count() - 1 : -1;
  } else if (ring) {
    walk.to_net = gpu_count() - 1;
  } else {
    walk.to_net = trial_.pattern == GraphPattern::split_tree ? 1 : 0;
  }
  return walk;
}

/// Reserves `factor` times the channel's bandwidth on the path. Returns false if a link has too
/// little left or the path type exceeds the limit. The limit only applies to whole channels (factor
/// 1); for trees it also applies to the reverse path.
bool ChannelSearch::follow(Origin from, Origin to, float factor) {
  if (from.index < 0) return true;
  const int a = resources_.system.vertex(from.kind, from.index);
  const int b = resources_.system.vertex(to.kind, to.index);
  const bool intra = from.kind != VertexKind::net && to.kind != VertexKind::net;
  const PathType farthest = intra ? trial_.type_intra : trial_.type_inter;
  const Path& path = resources_.paths.between(a, b);
  if (path.type >= PathType::dis) return false;
  if (factor == 1 && path.type > farthest) return false;
  if (factor == 1 && trial_.is_tree() && resources_.paths.between(b, a).type > farthest)
    return false;
  const float bandwidth = (intra ? trial_.bandwidth_intra : trial_.bandwidth_inter) * factor;
  if (!resources_.budget.take(a, b, bandwidth)) return false;
  trial_.hops =
      static_cast<int>(static_cast<float>(trial_.hops) + factor * static_cast<float>(path.hops));
  return true;
}

void ChannelSearch::unfollow(Origin from, Origin to, float factor) {
  if (from.index < 0) return;
  const int a = resources_.system.vertex(from.kind, from.index);
  const int b = resources_.system.vertex(to.kind, to.index);
  const bool intra = from.kind != VertexKind::net && to.kind != VertexKind::net;
  resources_.budget.give_back(a, b,
                              (intra ? trial_.bandwidth_intra : trial_.bandwidth_inter) * factor);
  const auto hops = static_cast<float>(resources_.paths.between(a, b).hops);
  trial_.hops = static_cast<int>(static_cast<float>(trial_.hops) - factor * hops);
}

void ChannelSearch::add_channel() {
  if (resources_.inter) {
    start_from_net();
  } else {
    start_inside();
  }
}

void ChannelSearch::start_inside() {
  const Origin nowhere;
  if (trial_.pattern == GraphPattern::nvls) {
    try_gpu(nowhere, trial_.channels, first_walk(Order::any));
    return;
  }
  if (trial_.channels == 0) {
    try_gpu(nowhere, 0, first_walk(Order::pcie));
  } else {
    try_gpu(nowhere, trial_.gpu(trial_.channels - 1, 0), first_walk(Order::replay));
  }
  if (trial_.same_channels && trial_.channels > 0) return;
  for (int gpu = 0; gpu < gpu_count(); ++gpu) try_gpu(nowhere, gpu, first_walk(Order::any));
}

void ChannelSearch::try_gpu(Origin from, int gpu, Walk walk) {
  const Origin there{VertexKind::gpu, gpu};
  if (time_ <= 0 || !follow(from, there, 1)) return;
  const std::uint64_t channel = std::uint64_t{1} << trial_.channels;
  used_[static_cast<std::size_t>(gpu)] ^= channel;
  place(gpu, walk);
  used_[static_cast<std::size_t>(gpu)] ^= channel;
  unfollow(from, there, 1);
}

void ChannelSearch::place(int gpu, Walk walk) {
  if (time_ <= 0) return;
  --time_;
  if (walk.step == gpu_count()) {
    finish_channel();
    return;
  }
  trial_.gpu(trial_.channels, walk.step) = gpu;
  if (walk.step == walk.to_net) {
    return_to_net(gpu, walk);
  } else if (trial_.pattern == GraphPattern::nvls) {
    pass_through_nvswitch(gpu, walk);
  } else if (trial_.pattern == GraphPattern::collnet_direct) {
    spread_to_all(gpu, walk);
  } else if (walk.step < gpu_count() - 1) {
    go_on(gpu, walk);
  } else if (walk.step == walk.to_first) {
    close_ring(gpu, walk);
  } else {
    place(gpu, {.step = gpu_count(), .order = walk.order});
  }
}

void ChannelSearch::finish_channel() {
  ++trial_.channels;
  if (is_better(trial_, best_)) {
    best_ = trial_;
    if (trial_.channels == trial_.max_channels) time_ = kPerfect;
  }
  if (trial_.channels < trial_.max_channels) add_channel();
  --trial_.channels;
}

void ChannelSearch::go_on(int gpu, Walk walk) {
  Walk next = walk;
  ++next.step;
  const Origin here{VertexKind::gpu, gpu};
  switch (walk.order) {
    case Order::pcie: try_gpu(here, next.step, next); break;
    case Order::replay: try_gpu(here, trial_.gpu(trial_.channels - 1, next.step), next); break;
    case Order::any: {
      const std::size_t base = stack_.size();
      push_next_gpus(gpu, walk);
      const std::size_t end = stack_.size();
      for (std::size_t i = base; i < end && time_ > 0; ++i) try_gpu(here, stack_[i], next);
      stack_.resize(base);
      break;
    }
  }
}

void ChannelSearch::close_ring(int gpu, Walk walk) {
  const Origin here{VertexKind::gpu, gpu};
  const int first = trial_.gpu(trial_.channels, 0);
  if (!follow(here, {VertexKind::gpu, first}, 1)) return;
  place(first, {.step = walk.step + 1, .to_net = walk.to_net, .order = walk.order});
  unfollow(here, {VertexKind::gpu, first}, 1);
}

/// NVLS: reserves bandwidth between the NVSwitch and every GPU in both directions: the channel's
/// bandwidth for each GPU, and twice that for the head.
void ChannelSearch::pass_through_nvswitch(int head, Walk walk) {
  const Origin nvswitch{VertexKind::nvs, 0};
  const auto factor = [head](int gpu) { return gpu == head ? 2.0F : 1.0F; };
  int down = 0, up = 0;
  while (down < gpu_count() && follow(nvswitch, {VertexKind::gpu, down}, factor(down))) ++down;
  if (down == gpu_count()) {
    while (up < gpu_count() && follow({VertexKind::gpu, up}, nvswitch, factor(up))) ++up;
    if (up == gpu_count()) place(-1, {.step = gpu_count(), .order = walk.order});
  }
  while (up-- > 0) unfollow({VertexKind::gpu, up}, nvswitch, factor(up));
  while (down-- > 0) unfollow(nvswitch, {VertexKind::gpu, down}, factor(down));
}

/// CollNetDirect: reserves an equal part of the channel's bandwidth between the head and each other
/// GPU, in both directions.
void ChannelSearch::spread_to_all(int head, Walk walk) {
  const float part = 1.0F / static_cast<float>(gpu_count() - 1);
  const Origin here{VertexKind::gpu, head};
  int out = 0, in = 0;
  while (out < gpu_count() && follow(here, {VertexKind::gpu, out}, part)) ++out;
  if (out == gpu_count()) {
    while (in < gpu_count() && follow({VertexKind::gpu, in}, here, part)) ++in;
    if (in == gpu_count()) {
      int step = 0;
      for (int gpu = 0; gpu < gpu_count(); ++gpu)
        if (gpu != head) trial_.gpu(trial_.channels, ++step) = gpu;
      place(-1, {.step = gpu_count(), .order = walk.order});
    }
  }
  while (in-- > 0) unfollow({VertexKind::gpu, in}, here, part);
  while (out-- > 0) unfollow(here, {VertexKind::gpu, out}, part);
}

namespace {

bool has_heads(GraphPattern pattern) {
  return pattern == GraphPattern::nvls || pattern == GraphPattern::collnet_direct;
}

}  // namespace

bool ChannelSearch::may_start(int net) const {
  const SystemNet& port = resources_.system.nets[static_cast<std::size_t>(net)];
  if (trial_.collnet && !port.in_network_reduction) return false;
  // NCCL compares and reserves whole GB/s here.
  const auto bandwidth = static_cast<float>(static_cast<int>(trial_.bandwidth_inter));
  if (resources_.net_left[static_cast<std::size_t>(net)] < bandwidth) return false;
  const bool second_of_pair =
      trial_.pattern == GraphPattern::ring && trial_.cross_nic == 2 && trial_.channels % 2 == 1;
  return !second_of_pair || net == trial_.net(trial_.channels - 1).out;
}

void ChannelSearch::start_from_net() {
  const std::vector<int>& nets = resources_.nets.within(trial_.type_inter, -1);
  const auto bandwidth = static_cast<float>(static_cast<int>(trial_.bandwidth_inter));
  bool head_found = false;
  for (std::size_t i = 0; i < nets.size(); ++i) {
    if (has_heads(trial_.pattern) && head_found) break;
    const int net = nets[(static_cast<std::size_t>(trial_.channels) + i) % nets.size()];
    if (!may_start(net)) continue;
    trial_.net(trial_.channels).in = net;
    trial_.latency_inter = resources_.system.nets[static_cast<std::size_t>(net)].latency;
    for (const int port : resources_.nets.sharers(net))
      resources_.net_left[static_cast<std::size_t>(port)] -= bandwidth;
    if (has_heads(trial_.pattern)) {
      head_found = start_head(net, nets.size()) || head_found;
    } else {
      start_chains(net);
    }
    for (const int port : resources_.nets.sharers(net))
      resources_.net_left[static_cast<std::size_t>(port)] += bandwidth;
  }
}

/// Starts a channel with the GPU of a port as its head, unless that GPU is already a head.
bool ChannelSearch::start_head(int net, std::size_t net_count) {
  const int head = resources_.nets.local_gpu(net);
  if (static_cast<std::size_t>(trial_.channels) >= net_count || head < 0) return false;
  for (int channel = 0; channel < trial_.channels; ++channel)
    if (trial_.gpu(channel, 0) == head) return false;
  try_gpu({VertexKind::net, net}, head, first_walk(Order::any));
  return true;
}

void ChannelSearch::start_chains(int net) {
  const Origin port{VertexKind::net, net};
  if (trial_.channels > 0 && trial_.same_channels) {
    try_gpu(port, trial_.gpu(trial_.channels - 1, 0), first_walk(Order::replay));
    return;
  }
  if (trial_.channels == 0 && resources_.system.count(VertexKind::nvs) == 0) {
    // First tries the order of the PCIe tree, so that later orders must be better. This attempt has
    // a small step limit of its own.
    constexpr std::int64_t kSteps = 1 << 10;
    const std::int64_t left = time_;
    time_ = kSteps;
    try_gpu(port, 0, first_walk(Order::pcie));
    if (time_ != kPerfect) time_ = left;
  }
  const int local = resources_.nets.local_gpu(net);
  if (local >= 0) try_gpu(port, local, first_walk(Order::any));
  for (const int gpu : resources_.nets.near_gpus(net))
    if (gpu != local) try_gpu(port, gpu, first_walk(Order::any));
}

/// Whether a channel that entered by port `start` may leave by port `net` (ncclTopoSearchCheckNet).
bool ChannelSearch::may_return(int net, int start, int step) const {
  const SystemNet& out = resources_.system.nets[static_cast<std::size_t>(net)];
  const SystemNet& in = resources_.system.nets[static_cast<std::size_t>(start)];
  if (resources_.railed && out.plane >= 0 && in.plane >= 0 && out.plane != in.plane) return false;
  if (trial_.pattern == GraphPattern::tree && net != start) return false;
  if (trial_.pattern == GraphPattern::ring && trial_.cross_nic == 2) {
    if (trial_.channels % 2 == 1 && net != trial_.net(trial_.channels - 1).in) return false;
  } else if (trial_.cross_nic == 0) {
    const bool rails = resources_.railed && out.rail >= 0 && in.rail >= 0;
    if (rails ? out.rail != in.rail : out.asic != in.asic || out.port != in.port) return false;
  }
  return trial_.pattern != GraphPattern::balanced_tree || step == 0 ||
         net == trial_.net(trial_.channels).out;
}

/// Continues the channel over each possible port. A balanced tree uses the network from its first
/// two GPUs, with half of the bandwidth each.
void ChannelSearch::return_to_net(int gpu, Walk walk) {
  const int start = trial_.net(trial_.channels).in;
  const bool balanced = trial_.pattern == GraphPattern::balanced_tree;
  const float whole = trial_.bandwidth_inter;
  const Origin here{VertexKind::gpu, gpu};
  for (const int net : resources_.nets.within(trial_.type_inter, gpu)) {
    if (!may_return(net, start, walk.step)) continue;
    const Origin port{VertexKind::net, net};
    if (balanced) trial_.bandwidth_inter = whole / 2;
    const bool fits = follow(here, port, 1);
    trial_.bandwidth_inter = whole;
    if (!fits) continue;
    trial_.net(trial_.channels).out = net;
    Walk next = walk;
    next.to_net = balanced && walk.step == 0 ? 1 : -1;
    place(gpu, next);
    if (balanced) trial_.bandwidth_inter = whole / 2;
    unfollow(here, port, 1);
    trial_.bandwidth_inter = whole;
  }
}

namespace {

/// The bandwidth that is left on a GPU's PCIe link, in whole GB/s: the smaller of its two
/// directions. -1 if the GPU has no PCIe link.
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
  const System& system = resources_.system;
  return resources_.paths
             .between(system.vertex(VertexKind::gpu, from), system.vertex(VertexKind::gpu, gpu))
             .hops > 0;
}

void ChannelSearch::push_next_gpus(int gpu, Walk walk) {
  if (resources_.system.count(VertexKind::nvs) > 0) {
    push_neighbours(gpu);
  } else {
    push_by_score(gpu, walk);
  }
}

/// With NVSwitches only the neighbours in GPU order are tried: they work best if each GPU
/// communicates with few others.
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
  const System& system = resources_.system;
  const Paths& paths = resources_.paths;
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
      score.pcie_bandwidth = pcie_bandwidth(system, resources_.budget, peer);
      score.net_hops = in.hops;
    }
    scores_.push_back(score);
  }
  std::ranges::sort(scores_, {}, [](const Score& s) {
    return std::tuple(-s.net_bandwidth, -s.pcie_bandwidth, s.net_hops, -s.bandwidth, s.hops,
                      s.distance);
  });
  // If the GPUs differ only in their path to the network, and the channel does not leave in the
  // next step, the GPU with the best path is tried last.
  const bool later = walk.to_net >= 0 && walk.to_net != walk.step + 1;
  const bool alike = std::ranges::all_of(scores_, [this](const Score& score) {
    return score.bandwidth == scores_.front().bandwidth && score.hops == scores_.front().hops;
  });
  if (later && alike) std::ranges::reverse(scores_);
  for (const Score& score : scores_) stack_.push_back(score.gpu);
}

}  // namespace railyard::collectives::nccl
