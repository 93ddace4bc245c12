#include "collectives/nccl/graph/paths.hpp"

#include <algorithm>
#include <numeric>

#include "collectives/nccl/graph/local_nets.hpp"
#include "collectives/nccl/graph/path_finder.hpp"

namespace railyard::collectives::nccl {
namespace {

/// Changes the shortest paths of the graph to the paths that NCCL supports and uses.
class TrafficRules {
 public:
  TrafficRules(const System& system, const SearchEnvironment& environment)
      : system_(system), environment_(environment), finder_(system, environment) {
    relays_.assign(system.gpus.size() * system.nets.size(), -1);
  }

  Paths apply() && {
    for (const VertexKind kind :
         {VertexKind::cpu, VertexKind::dev, VertexKind::gpu, VertexKind::net, VertexKind::nvs}) {
      if (kind == VertexKind::gpu && environment_.version == Version::v2_28) continue;
      for (const int base : system_.all(kind)) finder_.find_paths_to(base);
    }
    if (environment_.version == Version::v2_28) finder_.take_ranks_for_devices();
    send_far_pairs_through_cpu();
    mark_nets_over_c2c();
    for (int net = 0; net < system_.net_count(); ++net) {
      for (int gpu = 0; gpu < system_.gpu_count(); ++gpu) {
        if (!environment_.pxn_disable) try_relay(gpu, net);
        if (type(gpu, net) < PathType::phb) require_gpu_direct(gpu, net);
      }
    }
    return std::move(finder_).finish();
  }

 private:
  [[nodiscard]] int gpu_vertex(int gpu) const { return system_.vertex(VertexKind::gpu, gpu); }
  [[nodiscard]] int net_vertex(int net) const { return system_.vertex(VertexKind::net, net); }
  [[nodiscard]] int cpu_vertex(int gpu) const {
    return system_.vertex(VertexKind::cpu,
                          local_cpu(system_, finder_.current(), environment_, gpu));
  }
  [[nodiscard]] PathType type(int gpu, int net) const {
    return finder_.current().between(gpu_vertex(gpu), net_vertex(net)).type;
  }

  /// The most distant type of path that is used directly: NCCL_P2P_LEVEL. Its default is PXB, or
  /// SYS on AMD machines with at most two GPUs.
  [[nodiscard]] PathType farthest_pair() const {
    if (environment_.p2p_disable) return PathType::loc;
    if (environment_.p2p_level) return *environment_.p2p_level;
    const bool amd = system_.cpus.front().x86 && system_.cpus.front().vendor == CpuVendor::amd;
    return amd && system_.count(VertexKind::dev) <= 2 ? PathType::sys : PathType::pxb;
  }

  /// Also marks the pairs that communicate faster over the network.
  void send_far_pairs_through_cpu() {
    const PathType farthest = farthest_pair();
    for (int to = 0; to < system_.gpu_count(); ++to) {
      for (int from = 0; from < system_.gpu_count(); ++from) {
        if (finder_.between(gpu_vertex(from), gpu_vertex(to)).type > farthest)
          finder_.route_through(cpu_vertex(to), gpu_vertex(from), gpu_vertex(to));
      }
      for (int from = 0; from < system_.gpu_count(); ++from) {
        if (prefers_network(system_, finder_.current(), environment_, from, to))
          finder_.between(gpu_vertex(from), gpu_vertex(to)).type = PathType::net;
      }
    }
  }

  /// The NICs that a GPU may reach over C2C: those nearest to the GPU, in 2.28 all.
  [[nodiscard]] std::vector<int> nets_over_c2c(int gpu) const {
    if (environment_.version != Version::v2_28)
      return nearest(system_, finder_.current(), gpu_vertex(gpu), VertexKind::net).indices;
    std::vector<int> nets(system_.nets.size());
    std::iota(nets.begin(), nets.end(), 0);
    return nets;
  }

  /// A GPU with C2C reaches the NICs of its CPU without the penalty for paths through a CPU.
  void mark_nets_over_c2c() {
    for (int gpu = 0; gpu < system_.gpu_count(); ++gpu) {
      const int cpu = cpu_vertex(gpu);
      for (const int net : nets_over_c2c(gpu)) {
        if (joined_type(finder_.between(gpu_vertex(gpu), cpu).type,
                        finder_.between(net_vertex(net), cpu).type) != PathType::p2c)
          continue;
        Path& out = finder_.between(gpu_vertex(gpu), net_vertex(net));
        Path& in = finder_.between(net_vertex(net), gpu_vertex(gpu));
        out.type = std::min(out.type, PathType::p2c);
        in.type = std::min(in.type, PathType::p2c);
      }
    }
  }

  /// Uses PXN for sends to other nodes if NCCL would. Receives do not use PXN.
  void try_relay(int gpu, int net) {
    const int peer = local_gpu(system_, finder_.current(), environment_, net);
    if (peer < 0 || peer == gpu) return;
    const Path& near = finder_.between(gpu_vertex(peer), net_vertex(net));
    const Path& own = finder_.between(gpu_vertex(gpu), net_vertex(net));
    const PathType farthest = environment_.pxn_c2c ? PathType::p2c : PathType::pxb;
    const bool same_host = system_[gpu_vertex(peer)].host == system_[gpu_vertex(gpu)].host;
    if (near.type > farthest || !same_host ||
        finder_.between(gpu_vertex(peer), gpu_vertex(gpu)).type > PathType::nvl ||
        (near.bandwidth <= own.bandwidth && own.type <= PathType::pxn))
      return;
    // 2.28 also relays through a GPU that the NIC may not read from.
    if (environment_.version != Version::v2_28 &&
        !may_use_gpu_direct(system_, finder_.current(), environment_, relays_,
                            {.gpu = peer, .net = net, .read = true}))
      return;
    relays_[static_cast<std::size_t>(gpu) * system_.nets.size() + static_cast<std::size_t>(net)] =
        peer;
    finder_.route_through(gpu_vertex(peer), gpu_vertex(gpu), net_vertex(net));
  }

  void require_gpu_direct(int gpu, int net) {
    if (may_use_gpu_direct(system_, finder_.current(), environment_, relays_,
                           {.gpu = gpu, .net = net, .read = false}))
      return;
    const int cpu = cpu_vertex(gpu);
    finder_.route_through(cpu, net_vertex(net), gpu_vertex(gpu));
    finder_.route_through(cpu, gpu_vertex(gpu), net_vertex(net));
  }

  const System& system_;
  const SearchEnvironment& environment_;
  PathFinder finder_;
  std::vector<int> relays_;  ///< by gpu x net: the GPU of a PXN path
};

}  // namespace

Paths compute_paths(const System& system, const SearchEnvironment& environment) {
  return TrafficRules(system, environment).apply();
}

}  // namespace railyard::collectives::nccl
