#pragma once

#include <vector>

#include "collectives/nccl/choice/choice_request.hpp"
#include "collectives/schedule/executor.hpp"

namespace railyard::collectives::nccl {

/// The choices among all algorithms of the algorithm table, in its order, or of the one that the
/// request names. Without costs, none chosen.
[[nodiscard]] std::vector<AlgorithmChoice> analytic_choices(const ChoiceSetting& setting,
                                                            const ChoiceRequest& request);

/// Whether only the time is needed, or also latency and bandwidth.
enum class CostDetail { time, everything };

/// Adds costs by `analytic`, an analytic engine, to the allowed choices. A choice that the cluster
/// has no route for is not allowed afterwards.
void add_costs(const ChoiceSetting& setting, const ChoiceRequest& request, Executor& analytic,
               CostDetail detail, std::vector<AlgorithmChoice>& choices);

/// Marks the fastest allowed choice, the first of equals.
void mark_fastest(std::vector<AlgorithmChoice>& choices);

}  // namespace railyard::collectives::nccl
