#pragma once

#include <span>
#include <string>
#include <vector>

#include "placement/jobs/queue_arrangement.hpp"

namespace railyard::placement {

/// A sentence for each job that found no nodes, with the time at which enough GPUs are free; then
/// one about types of GPU that no job uses.
[[nodiscard]] std::vector<std::string> queue_notes(std::span<const ArrivingJob> jobs,
                                                   const QueueArrangement& placed);

}  // namespace railyard::placement
