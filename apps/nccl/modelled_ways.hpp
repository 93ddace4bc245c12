#pragma once

#include <string_view>
#include <vector>

#include "apps/nccl/choice.hpp"

namespace railyard::apps {

/// Ways that the analytic engine can cost: those of the algorithm that is asked for by name, or all
/// for the kind of collective in the order of the algorithm table. Without costs, none chosen.
[[nodiscard]] std::vector<Candidate> modelled_ways(Chooser& chooser, const ChoiceRequest& asked);

/// How much of a way's cost is asked for.
enum class CostDetail { time, everything };

/// Costs the allowed ways; what the cluster has no route for is not allowed afterwards.
void cost_ways(Chooser& chooser, const ChoiceRequest& asked, CostDetail detail,
               std::vector<Candidate>& ways);

/// Marks the fastest allowed way, the first of equals.
void mark_fastest(std::vector<Candidate>& ways);

}  // namespace railyard::apps
