#pragma once

#include <string>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// A note for every oversubscribed tier of switches that a run hardly uses. A tier with
/// oversubscription o (capacity down / capacity up, above 1) can bind a result only if more than
/// 1/o of the traffic that reaches it from below goes further up, or if hashing loads one of its
/// links more than any link below. Otherwise the result is the same at any smaller
/// oversubscription. Empty for runs without link loads.
[[nodiscard]] std::vector<std::string> notes_on_unused_tiers(const topology::Cluster& cluster,
                                                             const collectives::Run& run);

}  // namespace railyard::sim
