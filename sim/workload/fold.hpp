#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/workload/rank_classes.hpp"
#include "sim/analytic/analytic_network.hpp"
#include "sim/workload/workload_options.hpp"
#include "topology/routing/hop.hpp"

namespace railyard::sim {

/// The ranks of a workload and the links that concurrent loads can saturate, folded: one rank, one
/// transport and one link represent each class.
///
/// A link is omitted if it has capacity for all simultaneous traffic: the fastest load of each
/// stream of each transport. It is then never a bottleneck. On the first link of a class of links,
/// a class of transports has the traffic of all its members. All links of the class carry the same,
/// so the max-min fair rates equal those of the whole network.
///
/// Example: 8 rings over the NICs of 16 nodes, one per rail, are one stream on one link if all
/// rails of the fabric are equal.
struct FoldedNetwork {
  collectives::RankClasses classes;
  std::vector<double> capacities;  ///< B/s by class of links
  /// By load of the first transport of a class: the traffic of the class. `bytes` is the largest
  /// amount of the load on a link; shares of hops are traffic of the class / `bytes`. No hops: no
  /// link can be a bottleneck.
  struct Flow {
    std::vector<topology::Hop> hops;
    double bytes = 0;
  };
  std::vector<Flow> flows;
  std::size_t links = 0;  ///< links that can saturate
};

/// `profiles`: by load. With options.expand nothing is folded, and no link is omitted.
[[nodiscard]] FoldedNetwork fold(const topology::Cluster& cluster,
                                 const collectives::Communications& communications,
                                 std::span<const IsolatedTime> profiles,
                                 const WorkloadOptions& options);

}  // namespace railyard::sim
