#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/workload/rank_classes.hpp"
#include "sim/analytic/analytic_network.hpp"
#include "sim/workload/workload_run.hpp"
#include "topology/routing/hop.hpp"

namespace railyard::sim {

/// The ranks of a workload and the links that concurrent loads may fill, folded: one rank, one
/// transport and one link stand for each class.
///
/// A link is left out where all that may cross it at one moment fits: of each stream of each
/// transport the fastest of its loads. It can then never hold a stream back. Of the others, a class
/// of transports puts on the first link of a class of links what all its members together put on
/// it; every link of the class carries as much, so max-min fair rates are those of the whole
/// network.
///
/// Example: 8 rings over the NICs of 16 nodes, one for each rail, are one stream on one link where
/// the fabric treats all rails alike.
struct FoldedNetwork {
  collectives::RankClasses classes;
  std::vector<double> capacities;  ///< B/s by class of links
  /// By load of the first transport of a class: what the class puts on links, over the most that
  /// the load puts on one, `bytes`. No hops: nothing can hold it back.
  struct Flow {
    std::vector<topology::Hop> hops;
    double bytes = 0;
  };
  std::vector<Flow> flows;
  std::size_t links = 0;  ///< that may fill
};

/// `profiles` by load. With options.expand nothing is folded, and no link is left out.
[[nodiscard]] FoldedNetwork fold(const topology::Cluster& cluster,
                                 const collectives::Communications& communications,
                                 std::span<const AloneTime> profiles,
                                 const WorkloadOptions& options);

}  // namespace railyard::sim
