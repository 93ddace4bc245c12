#pragma once

#include <optional>

#include "collectives/nccl/search/channel_search.hpp"

namespace railyard::collectives::nccl {

/// What a graph is asked for.
struct GraphRequest {
  GraphPattern pattern = GraphPattern::ring;
  int min_channels = 1;
  int max_channels = 1;
  bool collnet = false;
};

/// NCCL's search for one graph (2.30.7, src/graph/search.cc, ncclTopoCompute), in two passes. The
/// first one tries, from the fastest channel speed down and at each speed from the strictest limits
/// on, whether channels fit; from 25 GB/s a channel they are then doubled at half the speed. The
/// second one raises the speed as far as the channels allow. Without any channel the graph is one
/// at 0.1 GB/s; CollNet and NVLS then have none.
[[nodiscard]] Candidate search_graph(SearchGround& ground, const SearchEnvironment& environment,
                                     const GraphRequest& request);

/// The graph with ranks in the node in place of GPUs, net devs in place of ports.
[[nodiscard]] std::optional<Graph> to_graph(const System& system, const Candidate& candidate,
                                            bool inter);

}  // namespace railyard::collectives::nccl
