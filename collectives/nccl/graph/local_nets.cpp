#include "collectives/nccl/graph/local_nets.hpp"

#include <algorithm>
#include <numeric>

#include "collectives/nccl/graph/compute_capability.hpp"

namespace railyard::collectives::nccl {
namespace {

// NCCL 2.30.7 src/include/nccl_common.h, MAXCHANNELS.
constexpr int kMaxChannels = 64;

int nets_per_gpu(const SearchEnvironment& environment, int nets, int gpus) {
  switch (environment.net_devices) {
    case NetDevicesPolicy::automatic: return (nets + gpus - 1) / gpus;
    case NetDevicesPolicy::all: return nets;
    case NetDevicesPolicy::at_most: return std::min(environment.net_devices_limit, nets);
  }
  return 1;
}

/// Whether a NIC may read from a GPU. Before Ampere only if no other PCIe traffic is expected, that
/// is if the GPU is the only one or has NVLinks.
bool may_be_read(const System& system, const Paths& paths, const SearchEnvironment& environment,
                 int gpu) {
  if (environment.net_gdr_read) return *environment.net_gdr_read;
  if (system.gpus[static_cast<std::size_t>(gpu)].compute_capability >= kAmpere) return true;
  if (system.gpu_count() == 1) return true;
  for (int peer = 0; peer < system.gpu_count(); ++peer) {
    const Path& path =
        paths.between(system.vertex(VertexKind::gpu, gpu), system.vertex(VertexKind::gpu, peer));
    if (peer != gpu && path.type == PathType::nvl) return true;
  }
  return false;
}

float fastest_near_net(const System& system, const Paths& paths, int gpu) {
  float fastest = 0;
  for (const int net : system.all(VertexKind::net)) {
    const Path& path = paths.between(system.vertex(VertexKind::gpu, gpu), net);
    if (path.type <= PathType::pxb) fastest = std::max(fastest, path.bandwidth);
  }
  return fastest;
}

}  // namespace

Nearest nearest(const System& system, const Paths& paths, int from, VertexKind kind) {
  return topology::nearest_of(
      static_cast<std::size_t>(system.count(kind)), [&](std::size_t index) -> const Path& {
        return paths.between(from, system.vertex(kind, static_cast<int>(index)));
      });
}

int local_cpu(const System& system, const Paths& paths, const SearchEnvironment& environment,
              int gpu) {
  const int from = system.vertex(VertexKind::gpu, gpu);
  const auto hops = [&](int cpu) {
    return paths.between(from, system.vertex(VertexKind::cpu, cpu)).hops;
  };
  std::vector<int> cpus = nearest(system, paths, from, VertexKind::cpu).indices;
  if (environment.version == Version::v2_28) {
    cpus.resize(system.cpus.size());
    std::iota(cpus.begin(), cpus.end(), 0);
    std::erase_if(cpus, [&](int cpu) { return hops(cpu) == 0; });  // of another host
  }
  return *std::ranges::min_element(cpus, {}, hops);
}

int local_net(const System& system, const Paths& paths, const SearchEnvironment& environment,
              int gpu, int channel) {
  const Nearest nets = nearest(system, paths, system.vertex(VertexKind::gpu, gpu), VertexKind::net);
  if (nets.indices.empty() || nets.type == PathType::dis) return -1;
  const int first = system.vertex(VertexKind::net, nets.indices.front());
  const int net_count = static_cast<int>(nets.indices.size());
  const int gpu_count =
      static_cast<int>(nearest(system, paths, first, VertexKind::gpu).indices.size());
  int number = system.gpus[static_cast<std::size_t>(gpu)].dev;
  if (environment.version != Version::v2_28) number %= gpu_count;
  const int turn =
      topology::nic_of_channel({.gpu = number,
                                .nics = net_count,
                                .per_gpu = nets_per_gpu(environment, net_count, gpu_count)},
                               channel);
  return nets.indices[static_cast<std::size_t>(turn)];
}

std::vector<int> local_nets(const System& system, const Paths& paths,
                            const SearchEnvironment& environment, int gpu) {
  std::vector<int> found;
  for (int channel = 0; channel < kMaxChannels; ++channel) {
    const int net = local_net(system, paths, environment, gpu, channel);
    if (net < 0 || (channel > 0 && net == found.front())) break;
    found.push_back(net);
  }
  return found;
}

int local_gpu(const System& system, const Paths& paths, const SearchEnvironment& environment,
              int net) {
  const Nearest gpus = nearest(system, paths, system.vertex(VertexKind::net, net), VertexKind::gpu);
  if (gpus.type == PathType::dis) return -1;
  std::vector<std::vector<int>> nets;
  std::size_t longest = 0;
  for (const int gpu : gpus.indices) {
    nets.push_back(local_nets(system, paths, environment, gpu));
    longest = std::max(longest, nets.back().size());
  }
  for (std::size_t turn = 0; turn < longest; ++turn) {
    for (std::size_t i = 0; i < nets.size(); ++i)
      if (!nets[i].empty() && nets[i][turn % nets[i].size()] == net) return gpus.indices[i];
  }
  return -1;
}

bool may_use_gpu_direct(const System& system, const Paths& paths,
                        const SearchEnvironment& environment, std::span<const int> relays,
                        GpuDirectQuery query) {
  const auto gpu = static_cast<std::size_t>(query.gpu), net = static_cast<std::size_t>(query.net);
  if (!system.nets[net].gpu_direct || !system.gpus[gpu].gpu_direct) return false;
  if (query.read && !may_be_read(system, paths, environment, query.gpu)) return false;
  const PathType farthest =
      environment.net_gdr_level.value_or(environment.net_gdr_c2c ? PathType::p2c : PathType::pxb);
  const int port = system.vertex(VertexKind::net, query.net);
  PathType distance = paths.between(system.vertex(VertexKind::gpu, query.gpu), port).type;
  if (distance == PathType::pxn) {
    const int relay = relays[gpu * system.nets.size() + net];
    distance = paths.between(system.vertex(VertexKind::gpu, relay), port).type;
  }
  return distance <= farthest;
}

bool prefers_network(const System& system, const Paths& paths, const SearchEnvironment& environment,
                     int from, int to) {
  if (environment.net_disable_intra || from == to) return false;
  const Path& path =
      paths.between(system.vertex(VertexKind::gpu, from), system.vertex(VertexKind::gpu, to));
  // NCCL assumes that it can relay between the two (src/transport/p2p.cc, p2pCanConnect).
  if (path.type == PathType::nvb) return false;
  return fastest_near_net(system, paths, from) > path.bandwidth &&
         fastest_near_net(system, paths, to) > path.bandwidth;
}

}  // namespace railyard::collectives::nccl
