#pragma once

#include "placement/search/search_space.hpp"

namespace railyard::placement {

/// Searches every valid strategy of the job: tp, cp (ring, all-gather, Ulysses), pp (1F1B,
/// interleaved, with the ends counted as layers), dp, ep, etp, micro-batch, recomputation (of all
/// layers; of the fewest layers that make it fit; with experts also of norms and activation
/// functions, with MLA also of its products), sequence parallelism, ZeRO, overlaps, and what the
/// space adds.
///
/// One type of GPU: all GPUs are used and stages are even. Several types: the pipelines of
/// pipelines_of, each with the layers of split_layers within the memory of its stages and the
/// micro-batches of split_batches.
///
/// Bounds: m · (F + B) of all layers / pp, the work of an average stage, which no schedule is
/// faster than; over several types bound_of_pipelines. prune = false evaluates everything and finds
/// the same best strategies. Equal strategies keep the order of enumeration.
///
/// Throws InputError for offloading to a host whose bandwidth the GPU's config does not give, and
/// for a fixed strategy that is not possible.
[[nodiscard]] SearchResult search(const CostContext& context, const SearchSpace& space);

}  // namespace railyard::placement
