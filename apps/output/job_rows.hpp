#pragma once

#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/schedule/measurement.hpp"

namespace railyard::apps {

/// One of several concurrent collectives.
struct JobRow {
  std::string job;
  Time start, finish;
  collectives::Measurement measurement;
};

/// job, start_us, finish_us, then the columns of a collective.
[[nodiscard]] RowTable tabulate_jobs(const std::vector<JobRow>& rows);

}  // namespace railyard::apps
