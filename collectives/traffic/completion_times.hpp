#pragma once

#include <cstddef>

#include "collectives/schedule/executor.hpp"
#include "core/units.hpp"

namespace railyard::collectives {

/// Completion times of the messages of a run, from the start of each to its end.
struct CompletionTimes {
  std::size_t messages = 0;
  Time total{};                       ///< from the first start to the last end
  Time mean{}, p50{}, p99{}, most{};  ///< percentiles by nearest rank
};

/// Of the tasks of a run, each a message (message_tasks()). There must be one.
[[nodiscard]] CompletionTimes completion_times(const Run& run);

}  // namespace railyard::collectives
