#include "collectives/nccl/graph/path_finder.hpp"

#include <algorithm>

namespace railyard::collectives::nccl {
namespace {

/// The device that a gpu or dev vertex belongs to: a gpu vertex has one link, to its dev.
int device_of(const System& system, int vertex) {
  if (system[vertex].kind != VertexKind::gpu) return vertex;
  return system.links[static_cast<std::size_t>(system[vertex].links.front())].to;
}

/// Number of hops from a base within which a GPU may forward NVLink traffic (NVB). The hop to its
/// own dev counts.
int relay_hops(const System& system, int base) {
  return system[base].kind == VertexKind::gpu ? 2 : 1;
}

}  // namespace

PathType joined_type(PathType a, PathType b) {
  if (std::max(a, b) == PathType::phb && std::min(a, b) == PathType::c2c) return PathType::p2c;
  return std::max(a, b);
}

void PathFinder::find_paths_to(int base) {
  between(base, base) = {.type = PathType::loc, .bandwidth = kLocalBandwidth, .first = -1};
  std::vector<int> front{base}, next;
  while (!front.empty()) {
    next.clear();
    for (const int vertex : front) {
      if (environment_.version == Version::v2_28) {
        widen_by_bandwidth(base, vertex, next);
      } else {
        widen(base, vertex, next);
      }
    }
    std::swap(front, next);
  }
}

/// A path through a dev may only lead to ranks and, one NVLink away from the base, to other GPUs.
bool PathFinder::may_pass(int base, int vertex, const SystemLink& link, int hops) const {
  if (system_[vertex].kind != VertexKind::dev || vertex == device_of(system_, base)) return true;
  const VertexKind there = system_[link.to].kind;
  if (link.type == PathType::loc && there == VertexKind::gpu) return true;
  return !environment_.nvb_disable && link.type == PathType::nvl && there == VertexKind::dev &&
         hops <= relay_hops(system_, base);
}

PathType PathFinder::type_over(int base, int vertex, const SystemLink& link,
                               const Path& path) const {
  const VertexKind here = system_[vertex].kind, there = system_[link.to].kind;
  PathType type = link.type == PathType::net ? PathType::loc : link.type;
  if (here == VertexKind::pci && there == VertexKind::pci) type = PathType::pxb;
  if (link.type == PathType::pix && (here == VertexKind::cpu || there == VertexKind::cpu))
    type = PathType::phb;
  if (here == VertexKind::dev && path.type == PathType::nvl && type == PathType::nvl &&
      path.hops == relay_hops(system_, base))
    type = PathType::nvb;
  return std::max(type, path.type);
}

void PathFinder::widen(int base, int vertex, std::vector<int>& next) {
  for (const int id : system_[vertex].links) {
    const SystemLink& link = system_.links[static_cast<std::size_t>(id)];
    const Path path = between(vertex, base);
    if (!may_pass(base, vertex, link, path.hops)) continue;
    const float bandwidth = std::min(path.bandwidth, link.bandwidth);
    const PathType type = type_over(base, vertex, link, path);
    Path& known = between(link.to, base);
    const bool better =
        type < known.type ||
        (type == known.type && (known.bandwidth < bandwidth ||
                                (known.bandwidth == bandwidth && known.hops > path.hops + 1)));
    if (!better) continue;
    cells_.push_back({link.reverse, path.first});
    known = {.type = type,
             .bandwidth = bandwidth,
             .hops = path.hops + 1,
             .first = static_cast<int>(cells_.size()) - 1};
    if (std::ranges::find(next, link.to) == next.end()) next.push_back(link.to);
  }
}

void PathFinder::route_through(int via, int from, int to) {
  const Path head = between(from, via), tail = between(via, to);
  std::vector<int> links;
  for (int cell = head.first; cell >= 0; cell = cells_[static_cast<std::size_t>(cell)].next)
    links.push_back(cells_[static_cast<std::size_t>(cell)].link);
  int first = tail.first;
  for (auto link = links.rbegin(); link != links.rend(); ++link) {
    cells_.push_back({*link, first});
    first = static_cast<int>(cells_.size()) - 1;
  }
  const bool by_gpu = system_[via].kind == VertexKind::gpu;
  between(from, to) = {.type = by_gpu ? PathType::pxn : joined_type(head.type, tail.type),
                       .bandwidth = std::min(head.bandwidth, tail.bandwidth),
                       .hops = head.hops + tail.hops,
                       .first = first};
}

bool PathFinder::crosses_intel_root(int from, const Path& path, std::span<const int> links) const {
  if (system_[from].kind != VertexKind::gpu || path.type != PathType::phb) return false;
  return std::ranges::any_of(links, [&](int link) {
    const Vertex& vertex = system_[system_.links[static_cast<std::size_t>(link)].to];
    if (vertex.kind != VertexKind::cpu) return false;
    const SystemCpu& cpu = system_.cpus[static_cast<std::size_t>(vertex.index)];
    return cpu.x86 && cpu.vendor == CpuVendor::intel;
  });
}

Paths PathFinder::finish() && {
  const int count = static_cast<int>(system_.vertices.size());
  for (int from = 0; from < count; ++from) {
    for (int to = 0; to < count; ++to) {
      Path& path = between(from, to);
      int cell = path.first;
      path.first = static_cast<int>(paths_.links_.size());
      for (int hop = 0; hop < path.hops; ++hop) {
        paths_.links_.push_back(cells_[static_cast<std::size_t>(cell)].link);
        cell = cells_[static_cast<std::size_t>(cell)].next;
      }
      path.through_intel_root = crosses_intel_root(from, path, paths_.links(path));
    }
  }
  return std::move(paths_);
}

namespace {

// The paths of NCCL 2.28.9 (src/graph/paths.cc, ncclTopoSetPaths): when a vertex is visited again,
// the new path is used if it is not longer and has more bandwidth, regardless of path types. 2.28
// has one vertex per GPU, not one for the device and one for the rank.

/// GPUs only forward NVLink traffic, over one hop.
bool may_go_on(const System& system, int vertex, const SystemLink& link, int hops, bool nvb) {
  if (system[vertex].kind != VertexKind::dev || hops == 0) return true;
  return nvb && link.type == PathType::nvl && system[link.to].kind == VertexKind::dev && hops <= 1;
}

PathType link_type(const System& system, int vertex, const SystemLink& link, const Path& path) {
  const VertexKind here = system[vertex].kind, there = system[link.to].kind;
  if (here == VertexKind::dev && path.type == PathType::nvl && link.type == PathType::nvl &&
      path.hops > 0)
    return PathType::nvb;
  if (link.type == PathType::pix && (here == VertexKind::cpu || there == VertexKind::cpu))
    return PathType::phb;
  if (here == VertexKind::pci && there == VertexKind::pci) return PathType::pxb;
  return link.type == PathType::net ? PathType::loc : link.type;
}

}  // namespace

void PathFinder::widen_by_bandwidth(int base, int vertex, std::vector<int>& next) {
  for (const int id : system_[vertex].links) {
    const SystemLink& link = system_.links[static_cast<std::size_t>(id)];
    const Path path = between(vertex, base);
    if (system_[link.to].kind == VertexKind::gpu ||
        !may_go_on(system_, vertex, link, path.hops, !environment_.nvb_disable))
      continue;
    const float bandwidth = std::min(path.bandwidth, link.bandwidth);
    Path& known = between(link.to, base);
    const bool no_longer = known.bandwidth == 0 || known.hops > path.hops;
    if (!no_longer || known.bandwidth >= bandwidth) continue;
    cells_.push_back({link.reverse, path.first});
    known = {.type = std::max(path.type, link_type(system_, vertex, link, path)),
             .bandwidth = bandwidth,
             .hops = path.hops + 1,
             .first = static_cast<int>(cells_.size()) - 1};
    if (std::ranges::find(next, link.to) == next.end()) next.push_back(link.to);
  }
}

void PathFinder::take_ranks_for_devices() {
  const int count = static_cast<int>(system_.vertices.size());
  for (int gpu = 0; gpu < system_.gpu_count(); ++gpu) {
    const int rank = system_.vertex(VertexKind::gpu, gpu);
    const int device = system_.vertex(VertexKind::dev, gpu);
    for (int other = 0; other < count; ++other) between(other, rank) = between(other, device);
    for (int other = 0; other < count; ++other) between(rank, other) = between(device, other);
  }
}

}  // namespace railyard::collectives::nccl
