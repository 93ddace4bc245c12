#pragma once

#include <vector>

#include "apps/output/rows.hpp"
#include "hw/pairs/pair_bandwidths.hpp"

namespace railyard::apps {

/// Rows with the columns source, destination, source_host, destination_host, rail, bytes, time_us,
/// bandwidth_GBps, relative.
[[nodiscard]] RowTable tabulate_pairs(const std::vector<hw::PairRow>& rows);
/// Rows with the columns rail, pairs, least_GBps, median_GBps, for pairs between hosts on one rail.
[[nodiscard]] RowTable tabulate_rails(const std::vector<hw::RailBandwidth>& rails);

}  // namespace railyard::apps
