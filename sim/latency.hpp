#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/collective.hpp"
#include "collectives/schedule/pace.hpp"
#include "core/units.hpp"
#include "sim/flow/streams.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/routing/hop.hpp"

namespace railyard::sim {

/// What a transfer costs before its bytes: alpha = the step overhead of the slowest kind of link on
/// its way (network, else PCIe, else NVLink) + the latencies of its links, weighted by their shares
/// where the bytes take several ways. docs/models/latency.md.
class AlphaModel {
 public:
  /// The cluster must outlive the model.
  AlphaModel(const topology::Cluster& cluster, collectives::Protocol protocol);
  /// The hops of a pace, which hold all that a hop costs; links add nothing.
  AlphaModel(const topology::Cluster& cluster, const collectives::Pace& pace);
  [[nodiscard]] Time launch() const { return overheads_.launch; }
  [[nodiscard]] Time of(std::span<const topology::Hop> route) const;
  /// The overhead alone, without the latencies of links.
  [[nodiscard]] Time overhead(std::span<const topology::Hop> route) const;

 private:
  const topology::Cluster& cluster_;
  topology::StepOverheads overheads_;
  bool links_add_ = true;
};

/// How long a stage takes beyond its bytes at the steady rate.
struct StageLatency {
  Time alpha;  ///< of the longest chain of transfers
  Time fill;   ///< until a pipeline is full: one chunk on every link of that chain but the slowest
  [[nodiscard]] Time total() const { return alpha + fill; }
};

/// The longest sum over `iterations` consecutive edges of a ring (wrapping around), each with its
/// alpha: the chunk that is unluckiest in where it starts. O(edges).
[[nodiscard]] Time ring_latency(std::span<const Time> edges, std::uint64_t iterations);

/// What ways through a cluster cost.
struct PathCosts {
  const topology::Cluster& cluster;
  AlphaModel alpha;
  WireFactors wire;
  std::span<const double> capacities;  ///< B/s by link
};

/// The latency of a coupled stage of a schedule. Requires empty sums; leaves them empty.
[[nodiscard]] StageLatency stage_latency(const Stage& stage, const RoutedBody& routed,
                                         const PathCosts& costs, LinkSums& sums);

}  // namespace railyard::sim
