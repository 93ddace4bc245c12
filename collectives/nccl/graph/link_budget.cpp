#include "collectives/nccl/graph/link_budget.hpp"

#include <cstdint>

#include "collectives/nccl/graph/compute_capability.hpp"

namespace railyard::collectives::nccl {
namespace {

// NCCL 2.30.7 src/graph/topo.h, INTEL_P2P_OVERHEAD: extra cost of paths between GPUs through an
// Intel root complex.
constexpr float kIntelOverhead = 6, kIntelOverheadOf = 5;
// src/graph/search.cc, followPath: before sm_80, a write into a GPU also uses 1/8 of its bandwidth
// in the reverse direction.
constexpr float kBackPart = 8;

/// Rounds to 0.001, at least 0.
void subtract(float& left, float bandwidth) {
  constexpr double kHalf = 0.5;
  const double thousandths = static_cast<double>((left - bandwidth) * 1000);
  left = static_cast<float>(static_cast<std::int64_t>(thousandths + kHalf)) / 1000;
}

}  // namespace

LinkBudget::LinkBudget(const System& system, const Paths& paths) : system_(system), paths_(paths) {
  edges_.reserve(system.links.size());
  for (const SystemLink& link : system.links) {
    const Vertex& to = system[link.to];
    // All GPUs of a node have the same type.
    const bool old = to.kind == VertexKind::dev && system.gpus.front().compute_capability < kAmpere;
    edges_.push_back({.left = link.bandwidth,
                      .reverse = link.reverse,
                      .pcie = link.type == PathType::pix,
                      .local = link.type == PathType::loc,
                      .costs_back = old});
  }
}

LinkBudget::Cost LinkBudget::cost(const Edge& edge, const Path& path, bool from_gpu,
                                  float bandwidth) const {
  const bool slowed = path.through_intel_root && edge.pcie;
  const float forth = slowed ? bandwidth * kIntelOverhead / kIntelOverheadOf : bandwidth;
  return {.forth = forth, .back = edge.costs_back && !from_gpu ? forth / kBackPart : 0};
}

bool LinkBudget::take(int from, int to, float bandwidth) {
  const Path& path = paths_.between(from, to);
  const bool from_gpu = system_[from].kind == VertexKind::gpu;
  for (const int link : paths_.links(path)) {
    const Edge& edge = edges_[static_cast<std::size_t>(link)];
    if (edge.local) continue;
    const Cost needed = cost(edge, path, from_gpu, bandwidth);
    if (edge.left < needed.forth) return false;
    if (needed.back != 0 && edges_[static_cast<std::size_t>(edge.reverse)].left < needed.back)
      return false;
  }
  spend(path, from_gpu, bandwidth);
  return true;
}

void LinkBudget::give_back(int from, int to, float bandwidth) {
  spend(paths_.between(from, to), system_[from].kind == VertexKind::gpu, -bandwidth);
}

void LinkBudget::spend(const Path& path, bool from_gpu, float bandwidth) {
  for (const int link : paths_.links(path)) {
    Edge& edge = edges_[static_cast<std::size_t>(link)];
    if (edge.local) continue;
    const Cost needed = cost(edge, path, from_gpu, bandwidth);
    subtract(edge.left, needed.forth);
    if (needed.back != 0)
      subtract(edges_[static_cast<std::size_t>(edge.reverse)].left, needed.back);
  }
}

}  // namespace railyard::collectives::nccl
