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

/// The latency of a transfer before its bytes (docs/models/latency.md):
///
///     alpha = step overhead of the slowest kind of link on its path (network, PCIe, NVLink)
///             + latencies of its links, weighted by their shares if the bytes use several paths
class AlphaModel {
 public:
  /// The cluster must outlive the model.
  AlphaModel(const topology::Cluster& cluster, collectives::Protocol protocol);
  /// Uses the hop times of a pace. These include all costs of a hop, so links add nothing.
  AlphaModel(const topology::Cluster& cluster, const collectives::Pace& pace);
  [[nodiscard]] Time launch() const { return overheads_.launch; }
  [[nodiscard]] Time of(std::span<const topology::Hop> route) const;
  /// Only the step overhead, without the latencies of links.
  [[nodiscard]] Time overhead(std::span<const topology::Hop> route) const;

 private:
  const topology::Cluster& cluster_;
  topology::StepOverheads overheads_;
  bool links_add_ = true;
};

/// The time of a stage in addition to its bytes at the steady rate.
struct StageLatency {
  Time alpha;  ///< of the longest chain of transfers
  Time fill;  ///< time to fill a pipeline: one chunk on every link of that chain except the slowest
  [[nodiscard]] Time total() const { return alpha + fill; }
};

/// The longest chain of a ring: the largest sum of alphas over `iterations` consecutive edges
/// (cyclically), that is the path of the chunk with the worst start. O(edges).
[[nodiscard]] Time ring_latency(std::span<const Time> edges, std::uint64_t iterations);

/// Costs of paths through a cluster.
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
