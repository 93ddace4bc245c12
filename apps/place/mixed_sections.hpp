#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "placement/cost/scored.hpp"

namespace railyard::apps {

/// A line per class of pipelines and type in it: replicas and their micro-batches, stages and their
/// layers, the slowest stage's passes, the fullest stage's memory.
[[nodiscard]] RowTable tabulate_stages(const placement::CostContext& context,
                                       const placement::Scored& scored);

/// Another way to run the job.
struct Instead {
  std::string what, strategy;
  int gpus = 0;
  double seconds = 0;  ///< of a step, by formula
  std::optional<double> simulated{};
};

/// A line per way, with its time over that of the first: as simulated where both were.
[[nodiscard]] RowTable tabulate_alternatives(std::span<const Instead> ways);

}  // namespace railyard::apps
