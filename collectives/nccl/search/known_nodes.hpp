#pragma once

#include <memory>

#include "collectives/nccl/search/node_search.hpp"

namespace railyard::collectives::nccl {

/// search_node(), which reuses its last 256 results in this process: clusters of another size and
/// groups on other nodes ask for the same ones (docs/decisions/018). Threads that ask at the same
/// time may both search. A file of graphs (NCCL_GRAPH_FILE) is read each time. Thread-safe. Throws
/// as search_node().
[[nodiscard]] std::shared_ptr<const SearchedNode> searched_node(
    const System& system, int nodes, const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
