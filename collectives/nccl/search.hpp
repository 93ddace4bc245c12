#pragma once

#include "collectives/nccl/environment.hpp"
#include "collectives/nccl/graph.hpp"
#include "collectives/nccl/system.hpp"

namespace railyard::collectives::nccl {

/// What NCCL knows of a communicator of `nodes` nodes like `system`, after its search: rings,
/// trees, NVLS and (asked for, with NICs that reduce) CollNet; docs/models/nccl_search.md.
/// Milliseconds for a node of 8 GPUs; the count of nodes matters to the channel counts alone.
/// Throws InputError where several nodes are asked for and a GPU reaches no NIC.
[[nodiscard]] Communicator make_communicator(const System& system, int nodes,
                                             const SearchEnvironment& environment = {});

}  // namespace railyard::collectives::nccl
