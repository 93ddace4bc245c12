#pragma once

#include <vector>

#include "collectives/nccl/choice/choice_request.hpp"
#include "collectives/schedule/executor.hpp"

namespace railyard::collectives::nccl {

/// The choices for a collective: one for each algorithm of the algorithm table (algorithms()), in
/// its order, or only the requested algorithm. Costs are not set and no choice is marked as chosen.
[[nodiscard]] std::vector<AlgorithmChoice> analytic_choices(const ChoiceSetting& setting,
                                                            const ChoiceRequest& request);

/// The costs to compute: only the time, or also latency and bandwidth.
enum class CostDetail { time, everything };

/// Adds costs from the analytic engine `analytic` to the allowed choices. A choice without a route
/// on the cluster becomes not allowed.
void add_costs(const ChoiceSetting& setting, const ChoiceRequest& request, Executor& analytic,
               CostDetail detail, std::vector<AlgorithmChoice>& choices);

/// Marks the fastest allowed choice as chosen; among equals the first.
void mark_fastest(std::vector<AlgorithmChoice>& choices);

}  // namespace railyard::collectives::nccl
