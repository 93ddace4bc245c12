#pragma once

#include <span>

#include "collectives/nccl/graph/graph.hpp"

namespace railyard::collectives::nccl {

/// The bandwidths per channel that the search tries in GB/s, descending (src/graph/search.cc,
/// ncclTopoCompute): by generation, inside a node (`inter` false) or with the network.
[[nodiscard]] std::span<const float> search_speeds(int min_compute_capability, bool inter,
                                                   Version version);

}  // namespace railyard::collectives::nccl
