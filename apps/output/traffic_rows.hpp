#pragma once

#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/schedule/executor.hpp"
#include "core/units.hpp"

namespace railyard::apps {

/// Results of a traffic pattern.
struct TrafficRow {
  std::string traffic, fidelity;
  std::int64_t flows = 0;
  Bytes bytes;
  Time time;  ///< from the first start to the last end
  Time fct_mean, fct_p50, fct_p99, fct_max;
  std::uint64_t seed = 1;
};

/// `bytes`: total of all messages.
[[nodiscard]] TrafficRow traffic_row(std::string traffic, Bytes bytes, const collectives::Run& run);

[[nodiscard]] RowTable tabulate_traffic(const std::vector<TrafficRow>& rows);

}  // namespace railyard::apps
