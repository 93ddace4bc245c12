#pragma once

#include "apps/output/rows.hpp"
#include "apps/place/settle.hpp"

namespace railyard::apps {

/// Whether the file of --occupied says when a job ends.
[[nodiscard]] bool knows_ends(const Occupancy& occupancy);

/// The strategy now, and after each end of a running job (of the next twelve) that gives it better
/// nodes: the simulated
/// step, when the job is done (where its tokens are known), and how long a job has to run for the
/// wait to be worth it. Starts that are no faster than an earlier one are left out.
[[nodiscard]] RowTable tabulate_starts(const PlaceFlags& flags, Question& question,
                                       const placement::Strategy& strategy);

/// "20 GPUs more are free in 3 h, when a ends"; empty where no end that is known is enough.
[[nodiscard]] std::string when_free(const topology::Cluster& cluster, const Occupancy& occupancy,
                                    std::size_t free, std::size_t wanted);

}  // namespace railyard::apps
