#pragma once

#include "apps/output/rows.hpp"
#include "apps/place/mapped.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::apps {

/// Running jobs that could make room, so that the step of this job gets shorter by more than half a
/// percent: of each pod the leaves where the fewest nodes are in the way; and any job alone. A line
/// per move; moves of one plan go to nodes that are free now, in any order. The step is simulated
/// as it is and with the jobs at their new nodes. `pays_after_s`: until the GPU time that this job
/// gains is what the moved jobs lose by standing still (--restart, and their state over their
/// NICs).
[[nodiscard]] RowTable tabulate_repacking(const PlaceFlags& flags, Question& question,
                                          const placement::Strategy& strategy);

}  // namespace railyard::apps
