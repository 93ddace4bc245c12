#pragma once

#include <cstdint>
#include <vector>

#include "topology/node/node_graph.hpp"
#include "topology/node/path_type.hpp"

namespace railyard::topology {

/// A path from a GPU to a device of its node.
struct FoundPath {
  PathType type = PathType::dis;
  Bandwidth bandwidth;
  std::vector<std::uint32_t> links;
};

/// The best path from a GPU to each device of its node, in NCCL's order (docs/models/node.md): the
/// smaller type, then the larger bandwidth of the narrowest link, then fewer hops. The type of a
/// path is the largest type of its hops. No path passes through a NIC, and a path passes through
/// another GPU only from NVLink to NVLink (type nvb). The search is exact: it keeps, per device,
/// the Pareto front of all three criteria.
[[nodiscard]] std::vector<FoundPath> best_paths_from(const NodeGraph& graph, DeviceId gpu);

}  // namespace railyard::topology
