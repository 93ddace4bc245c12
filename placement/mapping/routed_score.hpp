#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "placement/mapping/evaluate.hpp"
#include "placement/mapping/mapping.hpp"
#include "placement/mapping/tiers.hpp"
#include "placement/mapping/traffic.hpp"
#include "topology/routing/leaf_router.hpp"
#include "topology/routing/router.hpp"

namespace railyard::placement {

/// What is known of a phase before a flow is routed; seconds of one run.
struct RoutedBound {
  double below = 0;  ///< the busiest link below the leaves: every routing takes the same ways there
  double least = 0;  ///< no routing is faster: traffic spread evenly, without headers
  bool is_known = false;  ///< nothing climbs above a leaf: below is what it takes
};

/// Seconds of a step where every flow takes the way that the fabric's switches would give it: sum
/// over phases of count x max over links of bytes / bandwidth. Slower than Evaluator (every pair is
/// routed), but it knows the collisions of one hash, or what adaptive routing makes of it.
class RoutedScore {
 public:
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  /// `tiers`, `phases` and options.left_of_links must outlive it; of `options` that and pxn count.
  RoutedScore(const Tiers& tiers, std::span<const TrafficPhase> phases,
              const topology::RoutingOptions& routing, const EvaluateOptions& options);
  ~RoutedScore();

  /// Infinite where ranks talk that have no way to each other, and where the time is above `limit`
  /// (within a part in 1e8): phases are routed until that shows. Phases inside nodes are not
  /// routed unless others are on their links: every routing takes the same ways there.
  [[nodiscard]] double operator()(const Mapping& mapping, double limit = kNoLimit);

  /// Whether flows of this node need routing from leaf to leaf alone: one NIC a GPU that is plugged
  /// into one switch, on a fabric that LeafRouter knows.
  [[nodiscard]] bool is_quick_from(std::uint32_t node);
  /// The same from bounds, by phase: only what climbs above leaves is routed. Requires
  /// is_quick_from of every node of the mapping.
  [[nodiscard]] double operator()(const Mapping& mapping, std::span<const RoutedBound> bounds,
                                  double limit = kNoLimit);
  /// Payload bytes over bytes on the wire.
  [[nodiscard]] double payload() const { return payload_; }
  /// None where the fabric needs Router.
  [[nodiscard]] topology::LeafRouter* leaf_router();

 private:
  class LeafFlows;
  [[nodiscard]] double phase_seconds(const TrafficPhase& phase, const Mapping& mapping);
  [[nodiscard]] double above_leaves(const TrafficPhase& phase, const Mapping& mapping, double most);

  const Tiers* tiers_;
  std::span<const TrafficPhase> phases_;
  topology::RoutingOptions routing_;
  bool pxn_;
  std::span<const double> left_;  ///< of a link's bandwidth; empty: all
  double payload_;
  std::unique_ptr<topology::Router> router_;  ///< forgets from phase to phase
  std::unique_ptr<topology::LeafRouter> leaf_router_;
  bool has_leaf_router_ = false;          ///< it was asked for: it may be none
  std::vector<double> seconds_per_byte_;  ///< of links from the leaf router's first on
  std::vector<double> loads_;             ///< bytes by link
  std::vector<LinkId> used_;
  TrafficWalk walk_;
  std::unique_ptr<Evaluator> even_;  ///< traffic spread evenly
  std::vector<std::size_t> order_;   ///< of phases: those first that lost most to routing before
  std::vector<double> lost_;         ///< by phase
};

}  // namespace railyard::placement
