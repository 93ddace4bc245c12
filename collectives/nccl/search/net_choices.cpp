#include "collectives/nccl/search/net_choices.hpp"

#include <algorithm>

#include "collectives/nccl/graph/local_nets.hpp"

namespace railyard::collectives::nccl {
namespace {

void add_once(std::vector<int>& nets, int net) {
  if (std::ranges::find(nets, net) == nets.end()) nets.push_back(net);
}

}  // namespace

NetChoices::NetChoices(const System& system, const Paths& paths,
                       const SearchEnvironment& environment)
    : system_(system),
      paths_(paths),
      environment_(environment),
      lists_((static_cast<std::size_t>(PathType::dis) + 2) * (system.gpus.size() + 1)) {
  for (int gpu = 0; gpu < system.gpu_count(); ++gpu)
    given_.push_back(local_nets(system, paths, environment, gpu));
  for (int net = 0; net < system.net_count(); ++net) {
    local_gpus_.push_back(nccl::local_gpu(system, paths, environment, net));
    const Nearest gpus =
        nearest(system, paths, system.vertex(VertexKind::net, net), VertexKind::gpu);
    near_gpus_.push_back(gpus.type == PathType::dis ? std::vector<int>{} : gpus.indices);
    sharers_.emplace_back();
    const SystemNet& self = system.nets[static_cast<std::size_t>(net)];
    for (int other = 0; other < system.net_count(); ++other) {
      const SystemNet& port = system.nets[static_cast<std::size_t>(other)];
      if (port.asic == self.asic && port.port == self.port) sharers_.back().push_back(other);
    }
  }
}

void NetChoices::add_given_channel_first(int gpu, std::vector<int>& nets) const {
  for (int g = 0; g < system_.gpu_count(); ++g) {
    if (gpu >= 0 && gpu != g) continue;
    for (const int net : given_[static_cast<std::size_t>(g)]) add_once(nets, net);
  }
}

/// In NVLink domains of several hosts: first one port of each GPU, then the second ports, and so
/// on.
void NetChoices::add_given_gpu_first(int gpu, std::vector<int>& nets) const {
  std::size_t turns = 0;
  for (const auto& given : given_) turns = std::max(turns, given.size());
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (int g = 0; g < system_.gpu_count(); ++g) {
      const auto& given = given_[static_cast<std::size_t>(g)];
      if ((gpu < 0 || gpu == g) && turn < given.size()) add_once(nets, given[turn]);
    }
  }
}

std::vector<int> NetChoices::list(int farthest, int gpu) const {
  std::vector<int> nets;
  if (system_.hosts > 1 && environment_.scatter_nets) {
    add_given_gpu_first(gpu, nets);
  } else {
    add_given_channel_first(gpu, nets);
  }
  const bool limited = environment_.net_devices == NetDevicesPolicy::at_most;
  const int share = environment_.net_devices_limit * (gpu < 0 ? system_.gpu_count() : 1);
  const std::size_t limit =
      limited ? static_cast<std::size_t>(std::max(0, share)) : system_.nets.size();
  for (int type = 0; type <= farthest; ++type) {
    for (int g = 0; g < system_.gpu_count(); ++g) {
      if (gpu >= 0 && gpu != g) continue;
      for (int net = 0; net < system_.net_count() && nets.size() < limit; ++net) {
        const Path& path = paths_.between(system_.vertex(VertexKind::gpu, g),
                                          system_.vertex(VertexKind::net, net));
        if (static_cast<int>(path.type) == type) add_once(nets, net);
      }
    }
  }
  return nets;
}

const std::vector<int>& NetChoices::kept(int farthest, int gpu) {
  const std::size_t slot = static_cast<std::size_t>(farthest + 1) * (system_.gpus.size() + 1) +
                           static_cast<std::size_t>(gpu + 1);
  if (!lists_[slot]) lists_[slot] = list(farthest, gpu);
  return *lists_[slot];
}

const std::vector<int>& NetChoices::within(PathType farthest, int gpu) {
  return kept(static_cast<int>(farthest), gpu);
}

const std::vector<int>& NetChoices::given(int gpu) { return kept(-1, gpu); }

}  // namespace railyard::collectives::nccl
