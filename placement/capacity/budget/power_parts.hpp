#pragma once

#include <string>
#include <vector>

#include "placement/capacity/budget/assumptions.hpp"
#include "placement/capacity/budget/cluster_parts.hpp"
#include "placement/cost/scored.hpp"
#include "placement/model/objective.hpp"

namespace railyard::placement {

/// Mean power of one part of a cluster during training.
struct PowerPart {
  std::string name{};
  double megawatts = 0;
  double share_of_step = 1;  ///< fraction of a step, for the phases of GPUs
};

/// Power of a training run by phase and part, in MW.
struct PowerParts {
  std::vector<PowerPart> parts{};  ///< GPUs by phase, hosts, switches, optics by tier, cooling
  double mean = 0;                 ///< sum of the parts
  double peak = 0;                 ///< all GPUs compute
  double waiting = 0;              ///< all GPUs wait: between a failure and the restart
  /// Difference between a phase in which all GPUs compute and one in which all communicate.
  double ramp = 0;
};

/// Power per GPU in the phases of a step: the GPU's power limit times the assumed fractions; and
/// the power of hosts and fabric per GPU.
[[nodiscard]] Rates power_rates(const Processor& gpu, const ClusterParts& cluster,
                                const Assumptions& assumed, RangeEnd end);

/// training_totals() by part: P = GPUs · (idle + (compute - idle) u + (communication - idle) c +
/// host + fabric) · PUE, with u the fraction of a step with computation or update, and c that of
/// exposed collectives. Includes the strategy's GPUs, with several types each at its rates and
/// fractions, and `spare_gpus` that wait, with the same proportion of types.
[[nodiscard]] PowerParts power_parts(const Scored& scored, const ByType<Rates>& rates,
                                     int spare_gpus, const ClusterParts& cluster,
                                     const Assumptions& assumed, RangeEnd end = RangeEnd::value);

}  // namespace railyard::placement
