#pragma once

#include <optional>

#include "collectives/nccl/search/channel_search.hpp"

namespace railyard::collectives::nccl {

/// The requirements of a graph.
struct GraphRequest {
  GraphPattern pattern = GraphPattern::ring;
  int min_channels = 1;
  int max_channels = 1;
  bool collnet = false;
};

/// NCCL's search for one graph (2.30.7, src/graph/search.cc, ncclTopoCompute), in two passes. The
/// first pass tries channel speeds from the fastest down, and at each speed limits from the
/// strictest on, until channels fit; from 25 GB/s per channel they are then doubled at half the
/// speed. The second pass raises the speed as far as the channels allow. Without any channel the
/// result is one channel at 0.1 GB/s; CollNet and NVLS then have none.
[[nodiscard]] Candidate search_graph(NodeResources& resources, const SearchEnvironment& environment,
                                     const GraphRequest& request);

/// The graph with ranks of the node instead of GPUs, and net devices instead of ports.
[[nodiscard]] std::optional<Graph> to_graph(const System& system, const Candidate& candidate,
                                            bool inter);

}  // namespace railyard::collectives::nccl
