#pragma once

#include <vector>

#include "placement/mixed/mixed_cost.hpp"
#include "placement/simulate/step_timeline.hpp"

namespace railyard::placement {

/// step_timeline of a mixed strategy: a pipeline of each class of replicas pass by pass, its stages
/// at the pace of their types and with its own micro-batches; gradients, optimizer and offloading
/// on all stages once the last class is done with its passes. With one class events name no
/// pipeline. `micro_batches` 0: all; else so many at most of the class with most of them, of the
/// others in proportion. Collectives are those of the context.
[[nodiscard]] std::vector<StepEvent> mixed_timeline(const MixedContext& context,
                                                    const MixedStrategy& mixed,
                                                    int micro_batches = 0);

}  // namespace railyard::placement
