#pragma once

#include <string>
#include <vector>

#include "placement/capacity/budget/assumptions.hpp"
#include "placement/capacity/budget/cluster_parts.hpp"
#include "placement/cost/scored.hpp"
#include "placement/model/objective.hpp"

namespace railyard::placement {

/// The mean power of one part of a cluster while it trains.
struct PowerPart {
  std::string name{};
  double megawatts = 0;
  double share_of_step = 1;  ///< of a phase of the GPUs
};

/// Power of a training by phase and part, in MW.
struct PowerParts {
  std::vector<PowerPart> parts{};  ///< GPUs by phase, hosts, switches, optics by tier, cooling
  double mean = 0;                 ///< the sum of the parts
  double peak = 0;                 ///< every GPU computes
  double waiting = 0;              ///< every GPU waits: between a failure and the restart
  /// Between a phase in which all GPUs compute and one in which all communicate.
  double ramp = 0;
};

/// Powers of a GPU type in a cluster: the GPU's limit times the shares of its phases; of the host
/// and of the fabric, per GPU.
[[nodiscard]] Rates power_rates(const Processor& gpu, const ClusterParts& cluster,
                                const Assumptions& assumed, RangeEnd end);

/// P = GPUs · (idle + (compute - idle) u + (communication - idle) c + host + fabric) · PUE, with u
/// the share of a step that computes or updates and c that of exposed collectives:
/// training_totals() by part. The strategy's GPUs count, over several types each at its rates and
/// shares, and `spare_gpus` that wait, in the same proportion of types.
[[nodiscard]] PowerParts power_parts(const Scored& scored, const ByType<Rates>& rates,
                                     int spare_gpus, const ClusterParts& cluster,
                                     const Assumptions& assumed, RangeEnd end = RangeEnd::value);

}  // namespace railyard::placement
