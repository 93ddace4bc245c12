#pragma once

#include <span>

#include "collectives/nccl/graph/graph.hpp"

namespace railyard::collectives::nccl {

/// The bandwidths per channel, in GB/s and descending, that the search tries (src/graph/search.cc,
/// ncclTopoCompute). They depend on the GPU generation and on whether the communicator uses the
/// network (`inter`).
[[nodiscard]] std::span<const float> search_speeds(int min_compute_capability, bool inter,
                                                   Version version);

}  // namespace railyard::collectives::nccl
