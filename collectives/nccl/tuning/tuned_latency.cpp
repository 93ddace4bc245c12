#include <algorithm>

#include "collectives/nccl/tuning/tuning_terms.hpp"

namespace railyard::collectives::nccl {
namespace {

using enum TuningAlgorithm;

constexpr std::size_t kNvlink = 0, kPcie = 1, kNet = 2;

/// Of one hop inside a node and one between nodes.
struct Hops {
  float intra = 0;
  float inter = 0;
};

std::size_t intra_row(const TuningCase& entry) {
  return entry.graph.type_intra == PathType::nvl ? kNvlink : kPcie;
}

float hop(const TuningCase& entry, std::size_t row, TuningAlgorithm algorithm) {
  return static_cast<float>(
      entry.constants.hop_latency[row][index_of(algorithm)][index_of(entry.protocol)]);
}

Hops hops_of(const TuningCase& entry) {
  const bool alone = entry.communicator.ranks == entry.communicator.nodes;
  // With one rank per node nothing hides the network, which Tree's latencies have in.
  Hops hops{hop(entry, intra_row(entry), entry.algorithm),
            hop(entry, kNet, alone ? tree : entry.algorithm)};
  hops.inter += entry.graph.latency_inter;
  if (entry.protocol == Protocol::simple) hops.inter += entry.graph.latency_inter;  // the flush
  return hops;
}

/// What a step of a ring between nodes costs the CPU at least (NCCL 2.30 getNetOverhead), us.
float net_overhead(const TuningCase& entry) {
  if (entry.communicator.nodes == 1) return 0;
  constexpr float kAmd = 2, kOther = 1;
  const bool amd = entry.communicator.x86 && entry.communicator.cpu_vendor == CpuVendor::amd;
  const float once = entry.settings.net_overhead_us.value_or(amd ? kAmd : kOther);
  return entry.protocol == Protocol::simple ? once * 3 : once;
}

/// base + (steps - k) * max(intra, overhead) + k * inter, with k steps that leave a node.
float ring_latency(const TuningCase& entry, float base, const Hops& hops) {
  const int nodes = entry.communicator.nodes;
  if (entry.kind == Kind::broadcast || entry.kind == Kind::reduce) {
    const std::size_t row = nodes == 1 ? intra_row(entry) : kNet;
    if (entry.graph.same_channels) return base + hop(entry, row, ring);
    const TuningAlgorithm chunked = entry.protocol == Protocol::simple ? tree : ring;
    return base + static_cast<float>(entry.steps()) * hop(entry, row, chunked);
  }
  const float intra = std::max(hops.intra, net_overhead(entry));
  const int leaving =
      nodes == 1 ? 0 : (entry.kind == Kind::all_reduce ? 2 * (nodes - 1) : nodes - 1);
  return base + (static_cast<float>(entry.steps() - leaving) * intra +
                 static_cast<float>(leaving) * hops.inter);
}

}  // namespace

float tuned_latency(const TuningCase& entry) {
  const Communicator& c = entry.communicator;
  const auto base = static_cast<float>(
      entry.constants.base_latency[index_of(entry.algorithm)][index_of(entry.protocol)]);
  const Hops hops = hops_of(entry);
  const int others = c.ranks / c.nodes - 1;
  const int depth = floor_log2(static_cast<std::uint64_t>(c.nodes));
  switch (entry.algorithm) {
    case ring: return ring_latency(entry, base, hops);
    case tree:
      return base +
             2 * (static_cast<float>(others) * hops.intra + static_cast<float>(depth) * hops.inter);
    case collnet_direct:
      // 0.4 us for each message that a head takes in after the other (NCCL 2.30 tuning.cc).
      return static_cast<float>(
          base + 2 * (static_cast<float>(std::min(1, others)) * hops.intra + others * 0.4) +
          hops.inter);
    case collnet_chain: return base + static_cast<float>(2 * others) * hops.intra + hops.inter;
    case nvls: return c.nodes > 1 ? hops.intra + hops.inter : hops.intra;
    case nvls_tree: return base + (hops.intra + static_cast<float>(2 * depth) * hops.inter);
    case pat:
      // Logarithmic, with a linear part of 2.8 us per rank (NCCL 2.30 tuning.cc).
      return static_cast<float>(base + (depth * (hops.inter / 3.5) + c.ranks * 2.8));
  }
  return base;
}

}  // namespace railyard::collectives::nccl
