#include <algorithm>

#include "collectives/nccl/graph/path_finder.hpp"

// The paths of NCCL 2.28.9 (src/graph/paths.cc, ncclTopoSetPaths): a vertex that is met again takes
// the new path where it is no longer and has more bandwidth, whatever the types are. GPUs are not
// yet split into device and rank.
namespace railyard::collectives::nccl {
namespace {

/// GPUs pass nothing on but NVLink traffic of one hop.
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
