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

/// Bounds of a phase before its flows are routed, in seconds of one run.
struct RoutedBound {
  double below = 0;  ///< the busiest link below the leaves, where every routing uses the same paths
  double least = 0;  ///< lower bound for any routing: traffic spread evenly, without headers
  bool is_known = false;  ///< no traffic goes above a leaf, so `below` is the time
};

/// Seconds of a step if every flow uses the path that the switches of the fabric would choose: the
/// sum over phases of count x max over links of bytes / bandwidth. It is slower than Evaluator,
/// because every pair is routed, but it includes the collisions of one hash, or the effect of
/// adaptive routing.
class RoutedScore {
 public:
  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();

  /// `tiers`, `phases` and options.left_of_links must outlive it. Of `options` it uses
  /// left_of_links and pxn.
  RoutedScore(const Tiers& tiers, std::span<const TrafficPhase> phases,
              const topology::RoutingOptions& routing, const EvaluateOptions& options);
  ~RoutedScore();

  /// Infinite if ranks that communicate have no path to each other, and if the time exceeds `limit`
  /// (within 1e-8): it stops routing phases as soon as it does. Phases inside nodes are not routed
  /// unless other jobs use their links, because every routing uses the same paths there.
  [[nodiscard]] double operator()(const Mapping& mapping, double limit = kNoLimit);

  /// Whether flows of this node need routing only from leaf to leaf: one NIC per GPU, connected to
  /// one switch, on a fabric that LeafRouter supports.
  [[nodiscard]] bool is_quick_from(std::uint32_t node);
  /// The same from bounds, by phase. Only traffic above leaves is routed. Requires is_quick_from
  /// for every node of the mapping.
  [[nodiscard]] double operator()(const Mapping& mapping, std::span<const RoutedBound> bounds,
                                  double limit = kNoLimit);
  /// Payload bytes / bytes on the wire.
  [[nodiscard]] double payload() const { return payload_; }
  /// Null if the fabric needs Router.
  [[nodiscard]] topology::LeafRouter* leaf_router();

 private:
  class LeafFlows;
  [[nodiscard]] double phase_seconds(const TrafficPhase& phase, const Mapping& mapping);
  [[nodiscard]] double above_leaves(const TrafficPhase& phase, const Mapping& mapping, double most);

  const Tiers* tiers_;
  std::span<const TrafficPhase> phases_;
  topology::RoutingOptions routing_;
  bool pxn_;
  std::span<const double> left_;  ///< free share of each link's bandwidth; empty: all of it
  double payload_;
  std::unique_ptr<topology::Router> router_;  ///< reset for each phase
  std::unique_ptr<topology::LeafRouter> leaf_router_;
  bool has_leaf_router_ = false;          ///< whether it was requested; it may be null
  std::vector<double> seconds_per_byte_;  ///< of links, starting with the leaf router's first
  std::vector<double> loads_;             ///< bytes by link
  std::vector<LinkId> used_;
  TrafficWalk walk_;
  std::unique_ptr<Evaluator> even_;  ///< traffic spread evenly
  std::vector<std::size_t> order_;  ///< order of the phases; those with the largest loss come first
  std::vector<double> lost_;        ///< seconds lost to routing, by phase
};

}  // namespace railyard::placement
