#pragma once

#include <memory>

#include "collectives/nccl/search/node_search.hpp"

namespace railyard::collectives::nccl {

/// search_node() with a cache of its last 256 results in this process. Clusters of different sizes
/// and groups on different nodes often ask for the same node (docs/decisions/018). Concurrent
/// requests for the same node may both search. A graph file (NCCL_GRAPH_FILE) is read each time.
/// Thread-safe. Throws like search_node().
[[nodiscard]] std::shared_ptr<const SearchedNode> searched_node(
    const System& system, int nodes, const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
