#pragma once

#include "placement/search/shortlist.hpp"

namespace railyard::placement {

/// Evaluates SearchSpace::fix (--fix). Pipelines, layers and micro-batches that it does not give
/// are chosen as in the search. Throws InputError that lists every problem of an invalid strategy.
void consider_fixed(const CostContext& context, const SearchSpace& space, Shortlist& shortlist);

}  // namespace railyard::placement
