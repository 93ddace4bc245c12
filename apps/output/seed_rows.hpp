#pragma once

#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/schedule/seed_spread.hpp"

namespace railyard::apps {

/// The columns of a collective for the median run, then seeds, min_us, max_us and spread_pct.
[[nodiscard]] RowTable tabulate_seeds(const std::vector<collectives::SeedSpread>& rows);

}  // namespace railyard::apps
