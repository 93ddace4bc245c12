#pragma once

#include "apps/place/mapped.hpp"
#include "apps/rows.hpp"

namespace railyard::apps {

/// A line per unit (nodes below the same leaves) that has a free node or a node of the job: nodes,
/// free before, taken by the job, free after. Fragmentation is what is left of units broken into.
[[nodiscard]] RowTable tabulate_units(const Question& question, const placement::Tiers& tiers,
                                      const placement::Mapping& mapping);

/// A line per job of the occupancy whose nodes would serve the new one better, best first: where it
/// would move to, and the busiest links' seconds of the new job before and after. Jobs that would
/// not fit elsewhere, and gains below a per cent, are left out.
[[nodiscard]] RowTable tabulate_repacking(const Question& question, const Mapper& mapper,
                                          const placement::Strategy& strategy);

}  // namespace railyard::apps
