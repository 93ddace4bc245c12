#pragma once

#include <span>

#include "apps/output/rows.hpp"
#include "placement/jobs/repacking.hpp"
#include "placement/jobs/start_options.hpp"

namespace railyard::apps {

/// A row per move of a running job, by plan.
[[nodiscard]] RowTable tabulate_repackings(const placement::PlaceProblem& problem,
                                           const placement::Tiers& tiers,
                                           std::span<const placement::Repacking> repackings);

/// A row per possible start of the job.
[[nodiscard]] RowTable tabulate_start_options(std::span<const placement::StartOption> starts);

}  // namespace railyard::apps
