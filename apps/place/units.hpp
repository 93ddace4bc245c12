#pragma once

#include "apps/output/rows.hpp"
#include "apps/place/mapped.hpp"

namespace railyard::apps {

/// A line per unit (nodes below the same leaves) that has a free node or a node of the job: nodes,
/// free before, taken by the job, free after. Fragmentation is what is left of units broken into.
[[nodiscard]] RowTable tabulate_units(const Question& question, const placement::Tiers& tiers,
                                      const placement::Mapping& mapping);

}  // namespace railyard::apps
