#pragma once

#include "placement/search/search_space.hpp"

namespace railyard::placement {

/// Finds the best valid strategies of a job. Dimensions: tp, cp (ring, all-gather, Ulysses), pp
/// (1F1B, interleaved, also with embedding and head counted as layers), dp, ep, etp, micro-batch,
/// recomputation (all layers; the fewest layers that make it fit; with experts also norms and
/// activation functions; with MLA also its up-projections), sequence parallelism, ZeRO, overlaps,
/// and what SearchSpace adds.
///
/// One type of GPU: all GPUs are used and stages have equal layers. Several types: the pipelines of
/// pipelines_of, with layers by split_layers within each stage's memory, and micro-batches by
/// split_batches.
///
/// Branch and bound: no schedule is faster than m · (F + B) of all layers / pp, the work of an
/// average stage; over several types see bound_of_pipelines. prune = false evaluates all strategies
/// and finds the same best ones. Strategies of equal value keep the order of enumeration.
///
/// Throws InputError for offloading without host_bandwidth in the GPU's config, and for an invalid
/// SearchSpace::fix.
[[nodiscard]] SearchResult search(const CostContext& context, const SearchSpace& space);

}  // namespace railyard::placement
