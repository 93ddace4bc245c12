#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "placement/jobs/leaf_groups.hpp"
#include "placement/jobs/mapper.hpp"

namespace railyard::apps {

/// The searched mapping; or the ranks in order if that shortens the step, with a note. If
/// `simulated`, the simulated step decides (`fastest` is an index into mappings()), otherwise the
/// time with every flow routed.
[[nodiscard]] const placement::MappingOption& chosen_mapping(
    std::span<const placement::MappingOption> options, std::size_t fastest, bool simulated,
    Context& context);

/// A row per option: order of the axes, seconds of a step's busiest links (traffic spread evenly,
/// and with every flow routed), bytes times links.
[[nodiscard]] RowTable tabulate_mappings(std::span<const placement::MappingOption> options);
/// A row per phase: count, time of one phase, its busiest link, and the time of each tier.
[[nodiscard]] RowTable tabulate_phases(const placement::Tiers& tiers,
                                       const std::vector<placement::PhaseLoad>& loads);
/// A row per leaf group: nodes that are free before, used by the job, and free after.
[[nodiscard]] RowTable tabulate_leaf_groups(std::span<const placement::LeafGroupUse> uses);

}  // namespace railyard::apps
