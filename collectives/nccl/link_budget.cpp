#include "collectives/nccl/link_budget.hpp"

#include <cstdint>

namespace railyard::collectives::nccl {
namespace {

// NCCL 2.30.7 src/graph/topo.h, INTEL_P2P_OVERHEAD: GPU to GPU through an Intel root complex.
constexpr float kIntelOverhead = 6, kIntelOverheadOf = 5;
// src/graph/search.cc, followPath: before sm_80, writes into a GPU cost this part of the way back.
constexpr int kAmpere = 80;
constexpr float kBackPart = 8;

/// Rounds to 0.001; what is left is never below zero.
void subtract(float& left, float bandwidth) {
  const double thousandths = static_cast<double>((left - bandwidth) * 1000);
  left = static_cast<float>(static_cast<std::int64_t>(thousandths + 0.5)) / 1000;
}

}  // namespace

LinkBudget::LinkBudget(const System& system, const Paths& paths) : system_(system), paths_(paths) {
  left_.reserve(system.links.size());
  for (const SystemLink& link : system.links) left_.push_back(link.bandwidth);
}

bool LinkBudget::take(int from, int to, float bandwidth) {
  const Path& path = paths_.between(from, to);
  const auto hops = static_cast<std::size_t>(path.hops);
  const std::size_t done = follow(from, path, hops, bandwidth);
  if (done == hops) return true;
  (void)follow(from, path, done, -bandwidth);
  return false;
}

void LinkBudget::give_back(int from, int to, float bandwidth) {
  const Path& path = paths_.between(from, to);
  (void)follow(from, path, static_cast<std::size_t>(path.hops), -bandwidth);
}

float LinkBudget::on_the_way_back(int from, const SystemLink& link, float bandwidth) const {
  const Vertex& to = system_[link.to];
  if (to.kind != VertexKind::dev || system_[from].kind == VertexKind::gpu) return 0;
  const auto gpu = static_cast<std::size_t>(to.index);  // devs and GPUs are numbered alike
  return system_.gpus[gpu].compute_capability < kAmpere ? bandwidth / kBackPart : 0;
}

std::size_t LinkBudget::follow(int from, const Path& path, std::size_t hops, float bandwidth) {
  const std::span<const int> links = paths_.links(path);
  for (std::size_t hop = 0; hop < hops; ++hop) {
    const auto id = static_cast<std::size_t>(links[hop]);
    const SystemLink& link = system_.links[id];
    const bool slowed = path.through_intel_root && link.type == PathType::pix;
    const float forth = slowed ? bandwidth * kIntelOverhead / kIntelOverheadOf : bandwidth;
    const float back = on_the_way_back(from, link, forth);
    const auto reverse = static_cast<std::size_t>(link.reverse);
    if (left_[id] < forth || (back != 0 && left_[reverse] < back)) return hop;
    subtract(left_[id], forth);
    if (back != 0) subtract(left_[reverse], back);
  }
  return hops;
}

}  // namespace railyard::collectives::nccl
