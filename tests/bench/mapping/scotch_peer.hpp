#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "placement/mapping/mapping.hpp"
#include "placement/mapping/tiers.hpp"
#include "placement/mapping/traffic.hpp"

namespace railyard::bench {

/// Pods x leaves x nodes x GPUs, as Scotch's tleaf.
struct LeafTree {
  int pods = 1, leaves = 1, nodes = 1, gpus = 8;
};

/// Maps with Scotch's default strategy: the traffic between pairs of ranks over a step as a graph,
/// the cluster as tleaf with equal cost per link (distances 2, 4, 6, 8), or the part of it that is
/// free. Nothing where the program was built without Scotch. `spent` is the CPU time of
/// SCOTCH_graphMap alone, without building graph and architecture.
[[nodiscard]] std::optional<placement::Mapping> map_with_scotch(
    const LeafTree& tree, const placement::Tiers& tiers,
    std::span<const placement::TrafficPhase> phases, std::size_t ranks, std::span<const Rank> free,
    double& spent);

}  // namespace railyard::bench
