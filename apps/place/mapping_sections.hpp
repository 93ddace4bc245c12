#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "placement/jobs/leaf_groups.hpp"
#include "placement/jobs/mapper.hpp"

namespace railyard::apps {

/// The searched mapping; but the ranks in order where a step is shorter with them, which a note
/// says: simulated (`fastest` is the index into mappings() that was), or else with every flow
/// routed.
[[nodiscard]] const placement::MappingOption& chosen_mapping(
    std::span<const placement::MappingOption> options, std::size_t fastest, bool simulated,
    Context& context);

/// A line per option: order of the axes, seconds of the busiest links of a step (spread evenly, and
/// with every flow routed), bytes times links.
[[nodiscard]] RowTable tabulate_mappings(std::span<const placement::MappingOption> options);
/// A line per phase: count, time of one, its busiest link, and the times of each tier.
[[nodiscard]] RowTable tabulate_phases(const placement::Tiers& tiers,
                                       const std::vector<placement::PhaseLoad>& loads);
/// A line per leaf group: nodes that are free before, used by the job, and free after.
[[nodiscard]] RowTable tabulate_leaf_groups(std::span<const placement::LeafGroupUse> uses);

}  // namespace railyard::apps
