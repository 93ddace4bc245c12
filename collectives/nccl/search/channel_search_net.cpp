#include <algorithm>

#include "collectives/nccl/search/channel_search.hpp"

namespace railyard::collectives::nccl {
namespace {

bool has_heads(GraphPattern pattern) {
  return pattern == GraphPattern::nvls || pattern == GraphPattern::collnet_direct;
}

}  // namespace

bool ChannelSearch::may_start(int net) const {
  const SystemNet& port = ground_.system.nets[static_cast<std::size_t>(net)];
  if (trial_.collnet && !port.in_network_reduction) return false;
  // NCCL compares and takes whole GB/s here.
  const auto bandwidth = static_cast<float>(static_cast<int>(trial_.bandwidth_inter));
  if (ground_.net_left[static_cast<std::size_t>(net)] < bandwidth) return false;
  const bool second_of_pair =
      trial_.pattern == GraphPattern::ring && trial_.cross_nic == 2 && trial_.channels % 2 == 1;
  return !second_of_pair || net == trial_.net(trial_.channels - 1).out;
}

void ChannelSearch::start_from_net() {
  const std::vector<int>& nets = ground_.nets.within(trial_.type_inter, -1);
  const auto bandwidth = static_cast<float>(static_cast<int>(trial_.bandwidth_inter));
  bool head_found = false;
  for (std::size_t i = 0; i < nets.size(); ++i) {
    if (has_heads(trial_.pattern) && head_found) break;
    const int net = nets[(static_cast<std::size_t>(trial_.channels) + i) % nets.size()];
    if (!may_start(net)) continue;
    trial_.net(trial_.channels).in = net;
    trial_.latency_inter = ground_.system.nets[static_cast<std::size_t>(net)].latency;
    for (const int port : ground_.nets.sharers(net))
      ground_.net_left[static_cast<std::size_t>(port)] -= bandwidth;
    if (has_heads(trial_.pattern)) {
      head_found = start_head(net, nets.size()) || head_found;
    } else {
      start_chains(net);
    }
    for (const int port : ground_.nets.sharers(net))
      ground_.net_left[static_cast<std::size_t>(port)] += bandwidth;
  }
}

/// A head per port: the port's own GPU, unless another port made it one.
bool ChannelSearch::start_head(int net, std::size_t net_count) {
  const int head = ground_.nets.local_gpu(net);
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
  if (trial_.channels == 0 && ground_.system.count(VertexKind::nvs) == 0) {
    // The order of the PCIe tree sets a mark; it has steps of its own, and few.
    constexpr std::int64_t kSteps = 1 << 10;
    const std::int64_t left = time_;
    time_ = kSteps;
    try_gpu(port, 0, first_walk(Order::pcie));
    if (time_ != kPerfect) time_ = left;
  }
  const int local = ground_.nets.local_gpu(net);
  if (local >= 0) try_gpu(port, local, first_walk(Order::any));
  for (const int gpu : ground_.nets.near_gpus(net))
    if (gpu != local) try_gpu(port, gpu, first_walk(Order::any));
}

/// Whether a channel that came in by port `start` may leave by `net` (ncclTopoSearchCheckNet).
bool ChannelSearch::may_return(int net, int start, int step) const {
  const SystemNet& out = ground_.system.nets[static_cast<std::size_t>(net)];
  const SystemNet& in = ground_.system.nets[static_cast<std::size_t>(start)];
  if (ground_.railed && out.plane >= 0 && in.plane >= 0 && out.plane != in.plane) return false;
  if (trial_.pattern == GraphPattern::tree && net != start) return false;
  if (trial_.pattern == GraphPattern::ring && trial_.cross_nic == 2) {
    if (trial_.channels % 2 == 1 && net != trial_.net(trial_.channels - 1).in) return false;
  } else if (trial_.cross_nic == 0) {
    const bool rails = ground_.railed && out.rail >= 0 && in.rail >= 0;
    if (rails ? out.rail != in.rail : out.asic != in.asic || out.port != in.port) return false;
  }
  return trial_.pattern != GraphPattern::balanced_tree || step == 0 ||
         net == trial_.net(trial_.channels).out;
}

/// A balanced tree uses the network from its first two GPUs, half of the bandwidth each.
void ChannelSearch::return_to_net(int gpu, Walk walk) {
  const int start = trial_.net(trial_.channels).in;
  const bool balanced = trial_.pattern == GraphPattern::balanced_tree;
  const float whole = trial_.bandwidth_inter;
  const Origin here{VertexKind::gpu, gpu};
  for (const int net : ground_.nets.within(trial_.type_inter, gpu)) {
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

}  // namespace railyard::collectives::nccl
