#pragma once

#include "placement/search/shortlist.hpp"

namespace railyard::placement {

/// Searches the strategies of a cluster with one type of GPU: every split into pipeline, data and
/// expert parallelism on all its GPUs, with even stages (or uneven ones if the space allows).
void search_one_type(const CostContext& context, const SearchSpace& space, Shortlist& shortlist);

}  // namespace railyard::placement
