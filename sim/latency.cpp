#include "sim/latency.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "sim/analytic/longest_chain.hpp"

namespace railyard::sim {
namespace {

using collectives::Coupling;
using collectives::Protocol;
using collectives::RingPattern;
using topology::LinkKind;

const topology::StepOverheads& overheads_of(const topology::ProtocolOverheads& all,
                                            Protocol protocol) {
  switch (protocol) {
    case Protocol::ll: return all.ll;
    case Protocol::ll128: return all.ll128;
    case Protocol::simple: break;
  }
  return all.simple;
}

bool passes_on(const RingPattern& ring) { return ring.shift == -1; }

/// Whether ring `next` continues ring `ring` without a break: in its first iteration place p + 1
/// sends what it received from place p in iteration repeat - 1.
bool goes_on(const RingPattern& ring, std::uint64_t repeat, const RingPattern& next) {
  const auto n = static_cast<std::int64_t>(ring.ring_size > 0 ? ring.ring_size : ring.order.size());
  const auto distance = next.offset - ring.offset + static_cast<std::int64_t>(repeat);
  return passes_on(ring) && passes_on(next) && distance % n == 0;
}

/// The latency of one ring, whose edges have the alphas `edges`; it is step `s` of every loop of
/// the stage.
Time ring_stage_latency(const Stage& stage, std::size_t s, std::span<const Time> edges) {
  Time sum;
  std::uint64_t run = 0;  // iterations so far that forward the same chunks without a break
  const RingPattern* last = nullptr;
  std::uint64_t last_repeat = 0;
  for (const auto& loop : stage.loops) {
    const auto* ring = std::get_if<RingPattern>(&loop.steps[s].pattern);
    if (ring == nullptr || !passes_on(*ring)) {
      // The pieces do not travel along the ring, so every iteration may contain the slowest edge.
      sum += *std::max_element(edges.begin(), edges.end()) * static_cast<std::int64_t>(loop.repeat);
      continue;
    }
    if (last != nullptr && !goes_on(*last, last_repeat, *ring))
      sum += ring_latency(edges, std::exchange(run, 0));
    run += loop.repeat;
    last = ring;
    last_repeat = loop.repeat;
  }
  return sum + ring_latency(edges, run);
}

StageLatency rings_latency(const Stage& stage, const RoutedBody& routed, const AlphaModel& alpha) {
  StageLatency worst;
  std::vector<Time> edges;
  std::size_t begin = 0;
  for (std::size_t s = 0; s < routed.body.step_end.size(); ++s) {
    const std::size_t end = routed.body.step_end[s];
    const auto* ring = std::get_if<RingPattern>(&stage.loops.front().steps[s].pattern);
    const std::size_t places =
        ring != nullptr && ring->ring_size > 0 ? ring->ring_size : end - begin;
    for (; begin < end; begin += places) {
      edges.clear();
      for (std::size_t i = begin; i < begin + places; ++i)
        edges.push_back(alpha.of(routed.route(i)));
      worst.alpha = std::max(worst.alpha, ring_stage_latency(stage, s, edges));
    }
  }
  return worst;
}

struct StepRange {
  std::size_t begin, end;
};

/// The time of one chunk on the slowest link of each transfer's path, while all transfers of the
/// step run.
std::vector<Time> chunk_times(const RoutedBody& routed, StepRange step, const PathCosts& costs,
                              LinkSums& sums) {
  for (std::size_t i = step.begin; i < step.end; ++i)
    for (const auto& hop : routed.route(i))
      sums.add(hop.link, hop.share * routed.body.transfers[i].first_bytes);
  std::vector<Time> times;
  for (std::size_t i = step.begin; i < step.end; ++i) {
    double slowest = 0;
    for (const auto& hop : routed.route(i)) {
      const double bytes = sums[hop.link] * costs.wire.of(costs.cluster.link(hop.link).kind);
      slowest = std::max(slowest, bytes / costs.capacities[hop.link.index()]);
    }
    times.push_back(Time::from_seconds(slowest));
  }
  sums.clear();
  return times;
}

StageLatency pipeline_latency(const RoutedBody& routed, const PathCosts& costs, LinkSums& sums) {
  LongestChain chain;
  std::size_t begin = 0;
  for (const std::size_t end : routed.body.step_end) {
    const auto chunk = chunk_times(routed, {begin, end}, costs, sums);
    for (std::size_t i = begin; i < end; ++i) {
      const auto& transfer = routed.body.transfers[i].transfer;
      chain.pass(transfer.source, transfer.destination, costs.alpha.of(routed.route(i)),
                 chunk[i - begin]);
    }
    chain.end_step();
    begin = end;
  }
  const auto& longest = chain.longest();
  return {longest.alpha, longest.chunks - longest.slowest_chunk};
}

}  // namespace

AlphaModel::AlphaModel(const topology::Cluster& cluster, Protocol protocol)
    : cluster_(cluster), overheads_(overheads_of(cluster.spec().overheads, protocol)) {}

AlphaModel::AlphaModel(const topology::Cluster& cluster, const collectives::Pace& pace)
    : cluster_(cluster),
      overheads_{.launch = pace.launch,
                 .nvlink = pace.inside_hop,
                 .pcie = pace.inside_hop,
                 .network = pace.outside_hop},
      links_add_(false) {}

Time AlphaModel::overhead(std::span<const topology::Hop> route) const {
  Time overhead = overheads_.nvlink;
  for (const auto& hop : route) {
    const auto kind = cluster_.link(hop.link).kind;
    if (kind == LinkKind::port || kind == LinkKind::fabric) return overheads_.network;
    if (kind != LinkKind::nvlink) overhead = overheads_.pcie;
  }
  return overhead;
}

Time AlphaModel::of(std::span<const topology::Hop> route) const {
  if (!links_add_) return overhead(route);
  double picoseconds = 0;
  for (const auto& hop : route)
    picoseconds += hop.share * static_cast<double>(cluster_.link(hop.link).latency.picoseconds());
  return overhead(route) + Time::picoseconds(std::llround(picoseconds));
}

Time ring_latency(std::span<const Time> edges, std::uint64_t iterations) {
  const std::size_t n = edges.size();
  Time turn;
  for (const Time edge : edges) turn += edge;
  const auto rest = static_cast<std::size_t>(iterations % n);
  Time window;
  for (std::size_t i = 0; i < rest; ++i) window += edges[i];
  Time longest = window;
  for (std::size_t first = 0; rest > 0 && first + 1 < n; ++first) {
    window += edges[(first + rest) % n];
    window -= edges[first];
    longest = std::max(longest, window);
  }
  return turn * static_cast<std::int64_t>(iterations / n) + longest;
}

StageLatency stage_latency(const Stage& stage, const RoutedBody& routed, const PathCosts& costs,
                           LinkSums& sums) {
  if (stage.loops.front().coupling == Coupling::ring)
    return rings_latency(stage, routed, costs.alpha);
  return pipeline_latency(routed, costs, sums);
}

}  // namespace railyard::sim
