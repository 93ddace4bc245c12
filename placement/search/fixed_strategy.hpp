#pragma once

#include "placement/search/shortlist.hpp"

namespace railyard::placement {

/// Considers the strategy that SearchSpace::fix gives: one set of widths, and of pipelines, layers
/// and micro-batches those that are given, the others as in the search. Throws InputError (--fix)
/// with every problem of a strategy that is not possible.
void consider_fixed(const CostContext& context, const SearchSpace& space, Shortlist& shortlist);

}  // namespace railyard::placement
