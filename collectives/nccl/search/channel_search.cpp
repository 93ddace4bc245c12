#include "collectives/nccl/search/channel_search.hpp"

namespace railyard::collectives::nccl {
namespace {

unsigned bit(const Paths& paths, int from, int to) {
  return 1U << static_cast<unsigned>(paths.between(from, to).type);
}

}  // namespace

SearchGround::SearchGround(const System& system_in, const Paths& paths_in,
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
  if (!ground_.inter) {
    walk.to_first = ring ? gpu_count() - 1 : -1;
  } else if (ring) {
    walk.to_net = gpu_count() - 1;
  } else {
    walk.to_net = trial_.pattern == GraphPattern::split_tree ? 1 : 0;
  }
  return walk;
}

/// Takes `factor` times the channel's bandwidth from the path, or returns false. The type limit
/// counts for whole channels only; trees need it of the way back too.
bool ChannelSearch::follow(Origin from, Origin to, float factor) {
  if (from.index < 0) return true;
  const int a = ground_.system.vertex(from.kind, from.index);
  const int b = ground_.system.vertex(to.kind, to.index);
  const bool intra = from.kind != VertexKind::net && to.kind != VertexKind::net;
  const PathType farthest = intra ? trial_.type_intra : trial_.type_inter;
  const Path& path = ground_.paths.between(a, b);
  if (path.type >= PathType::dis) return false;
  if (factor == 1 && path.type > farthest) return false;
  if (factor == 1 && trial_.is_tree() && ground_.paths.between(b, a).type > farthest) return false;
  const float bandwidth = (intra ? trial_.bandwidth_intra : trial_.bandwidth_inter) * factor;
  if (!ground_.budget.take(a, b, bandwidth)) return false;
  trial_.hops =
      static_cast<int>(static_cast<float>(trial_.hops) + factor * static_cast<float>(path.hops));
  return true;
}

void ChannelSearch::unfollow(Origin from, Origin to, float factor) {
  if (from.index < 0) return;
  const int a = ground_.system.vertex(from.kind, from.index);
  const int b = ground_.system.vertex(to.kind, to.index);
  const bool intra = from.kind != VertexKind::net && to.kind != VertexKind::net;
  ground_.budget.give_back(a, b,
                           (intra ? trial_.bandwidth_intra : trial_.bandwidth_inter) * factor);
  const auto hops = static_cast<float>(ground_.paths.between(a, b).hops);
  trial_.hops = static_cast<int>(static_cast<float>(trial_.hops) - factor * hops);
}

void ChannelSearch::add_channel() {
  if (ground_.inter) {
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

/// Every GPU reads the multicast once and writes it once, the head twice.
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

/// A head of CollNet direct exchanges an equal part with each of the other GPUs.
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

}  // namespace railyard::collectives::nccl
