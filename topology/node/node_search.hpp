#pragma once

#include <cstdint>
#include <vector>

#include "topology/node/node_graph.hpp"
#include "topology/node/path_type.hpp"

namespace railyard::topology {

/// A way from a GPU to a device of its node.
struct FoundPath {
  PathType type = PathType::dis;
  Bandwidth bandwidth;
  std::vector<std::uint32_t> links;
};

/// The best way from a GPU to each device of its node, in NCCL's order (facts of
/// docs/models/node.md): the smaller type, then the larger bandwidth of the narrowest link, then
/// fewer hops. The type of a way is the largest of its hops. Ways pass no NIC, and another GPU only
/// from NVLink to NVLink (nvb). Exact: keeps every way that is not worse in all three (a Pareto
/// front per device).
[[nodiscard]] std::vector<FoundPath> best_paths_from(const NodeGraph& graph, DeviceId gpu);

}  // namespace railyard::topology
