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

/// NCCL's search for one graph (2.30.7, src/graph/search.cc, ncclTopoCompute), in two passes.
///
/// First pass: tries bandwidths per channel in descending order, and for each of them limits from
/// strict to loose, until it finds channels. If they have at least 25 GB/s each, the number of
/// channels is then doubled and their bandwidth halved. Second pass: increases the bandwidth as
/// long as the same number of channels fits.
///
/// If no channel is found, the result is one channel of 0.1 GB/s; for CollNet and NVLS it is empty.
[[nodiscard]] Candidate search_graph(NodeResources& resources, const SearchEnvironment& environment,
                                     const GraphRequest& request);

/// Converts a search result: ranks of the node instead of indices of GPUs, and net numbers instead
/// of indices of ports.
[[nodiscard]] std::optional<Graph> to_graph(const System& system, const Candidate& candidate,
                                            bool inter);

}  // namespace railyard::collectives::nccl
