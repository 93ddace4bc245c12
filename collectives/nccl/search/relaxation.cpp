#include "collectives/nccl/search/relaxation.hpp"

#include <algorithm>

#include "collectives/nccl/graph/compute_capability.hpp"

namespace railyard::collectives::nccl {
namespace {

PathType farther(PathType type) { return static_cast<PathType>(static_cast<int>(type) + 1); }

struct Extent {
  PathType nearest, farthest;
};

/// The best and worst path type between GPUs and all vertices of a kind. A GPU's path to itself
/// does not count.
Extent extent(const NodeResources& resources, VertexKind kind) {
  Extent extent{.nearest = PathType::sys, .farthest = PathType::loc};
  for (int gpu = 0; gpu < resources.system.gpu_count(); ++gpu) {
    for (int other = 0; other < resources.system.count(kind); ++other) {
      if (kind == VertexKind::gpu && other == gpu) continue;
      const PathType type = resources.paths
                                .between(resources.system.vertex(VertexKind::gpu, gpu),
                                         resources.system.vertex(kind, other))
                                .type;
      extent.nearest = std::min(extent.nearest, type);
      extent.farthest = std::max(extent.farthest, type);
    }
  }
  return extent;
}

/// Whether GPUs that are connected by NVLink form exactly two groups of more than one GPU.
bool has_two_nvlink_islands(const NodeResources& resources) {
  const int gpus = resources.system.gpu_count();
  std::vector<int> island(static_cast<std::size_t>(gpus)), size(static_cast<std::size_t>(gpus));
  for (int gpu = 0; gpu < gpus; ++gpu) island[static_cast<std::size_t>(gpu)] = gpu;
  for (int gpu = 0; gpu < gpus; ++gpu) {
    for (int peer = gpu + 1; peer < gpus; ++peer) {
      const Path& path = resources.paths.between(resources.system.vertex(VertexKind::gpu, gpu),
                                                 resources.system.vertex(VertexKind::gpu, peer));
      if (path.type == PathType::nvl)
        island[static_cast<std::size_t>(peer)] = island[static_cast<std::size_t>(gpu)];
    }
  }
  for (const int of : island) ++size[static_cast<std::size_t>(of)];
  return std::ranges::count_if(size, [](int n) { return n > 1; }) == 2;
}

bool may_cross(GraphPattern pattern) {
  return pattern == GraphPattern::ring || pattern == GraphPattern::balanced_tree ||
         pattern == GraphPattern::split_tree;
}

}  // namespace

BandwidthBounds bandwidth_bounds(const System& system, const Paths& paths, bool inter,
                                 Version version) {
  if (!inter && system.gpu_count() == 1) return {kLocalBandwidth, kLocalBandwidth};
  BandwidthBounds bounds;
  // 2.28 uses the paths between ranks, as modified for use; 2.30 the paths between devices.
  const VertexKind near_end = version == Version::v2_28 ? VertexKind::gpu : VertexKind::dev;
  for (const int from : system.all(near_end)) {
    for (const int end : system.all(inter ? VertexKind::net : near_end)) {
      const Path& path = paths.between(from, end);
      if (path.hops > 0) bounds.best_path = std::max(bounds.best_path, path.bandwidth);
    }
  }
  for (const int dev : system.all(VertexKind::dev)) {
    float nvlinks = 0, pcie = 0;
    for (const int id : system[dev].links) {
      const SystemLink& link = system.links[static_cast<std::size_t>(id)];
      if (link.type == PathType::nvl) nvlinks += link.bandwidth;
      if (link.type == PathType::pix) pcie = link.bandwidth;
    }
    bounds.of_gpu = std::max({bounds.of_gpu, nvlinks, pcie});
  }
  return bounds;
}

SearchLimits search_limits(const NodeResources& resources, const SearchEnvironment& environment,
                           GraphPattern pattern) {
  const System& system = resources.system;
  SearchLimits limits{.inter = resources.inter};
  if (system.gpu_count() > 1) {
    const Extent gpus = extent(resources, VertexKind::gpu);
    limits.min_intra = gpus.nearest;
    limits.max_intra = gpus.farthest;
  }
  if (resources.inter) {
    const Extent nets = extent(resources, VertexKind::net);
    limits.min_inter = nets.nearest;
    limits.max_inter = nets.farthest;
    limits.max_intra = nets.farthest;
  }
  const int capability = system.min_compute_capability();
  // A balanced tree may have to reach its NIC through the CPU (not in 2.28).
  if (capability < kHopper && environment.version != Version::v2_28)
    limits.max_inter = PathType::sys;
  if (system.net_count() > 1 && may_cross(pattern)) limits.cross_nic = environment.cross_nic;
  limits.try_same_channels = pattern != GraphPattern::nvls;
  limits.simpler_tree = capability >= kHopper;
  const SystemCpu& cpu = system.cpus.front();
  limits.keep_same_over_sys = cpu.x86 && cpu.vendor == CpuVendor::amd;
  limits.two_nvlink_islands = has_two_nvlink_islands(resources);
  const BandwidthBounds bounds =
      bandwidth_bounds(system, resources.paths, resources.inter, environment.version);
  limits.max_bandwidth = bounds.best_path;
  limits.total_bandwidth = bounds.of_gpu;
  return limits;
}

bool may_vary_channels(const Candidate& trial, const SearchLimits& limits) {
  return trial.same_channels && !(limits.keep_same_over_sys && trial.type_intra == PathType::sys);
}

bool relax(Candidate& trial, const Candidate& best, const SearchLimits& limits) {
  trial.same_channels = limits.try_same_channels;
  if (limits.simpler_tree && trial.pattern == GraphPattern::balanced_tree) {
    trial.pattern = GraphPattern::tree;
    return true;
  }
  trial.pattern = best.pattern;

  const bool none = best.channels == 0;
  const PathType max_intra = limits.inter ? trial.type_inter : limits.max_intra;
  if (trial.type_intra < max_intra && (none || trial.type_intra < best.type_intra)) {
    trial.type_intra = farther(trial.type_intra);
    if (trial.type_intra < PathType::dis) return true;
  }
  trial.type_intra = limits.min_intra;

  if (limits.inter && trial.type_inter < limits.max_inter &&
      (none || trial.type_inter < best.type_inter || trial.type_inter < PathType::pxn)) {
    trial.type_inter = farther(trial.type_inter);
    if (trial.type_inter < PathType::dis) return true;
  }
  trial.type_inter = limits.min_inter;

  const bool pairs =
      best.pattern == GraphPattern::ring || best.pattern == GraphPattern::balanced_tree;
  if (limits.cross_nic == 2 && trial.cross_nic == 0 && pairs) {
    trial.cross_nic = 2;
    return true;
  }
  trial.cross_nic = limits.first_cross_nic();
  return false;
}

}  // namespace railyard::collectives::nccl
