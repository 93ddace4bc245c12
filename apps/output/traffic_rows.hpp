#pragma once

#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/traffic/completion_times.hpp"
#include "core/units.hpp"

namespace railyard::apps {

/// Results of a traffic pattern.
struct TrafficRow {
  std::string traffic, fidelity;
  Bytes bytes;  ///< of all messages
  collectives::CompletionTimes times;
  std::uint64_t seed = 1;
};

/// A row per traffic pattern.
[[nodiscard]] RowTable tabulate_traffic(const std::vector<TrafficRow>& rows);

}  // namespace railyard::apps
