#pragma once

#include <memory>

#include "collectives/nccl/search/node_search.hpp"

namespace railyard::collectives::nccl {

/// search_node(), once per process for equal nodes and settings: clusters of another size, and
/// groups on other nodes, have the same ones. A file of graphs (NCCL_GRAPH_FILE) is read each time.
/// Thread-safe. Throws as search_node().
[[nodiscard]] std::shared_ptr<const SearchedNode> searched_node(
    const System& system, int nodes, const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
