#pragma once

#include <vector>

#include "collectives/schedule/executor.hpp"
#include "placement/serving/planner/service_timeline.hpp"
#include "placement/serving/planner/serving_plan.hpp"

namespace railyard::placement::serving {

/// Result of a simulated run of an option: requests, timeline, and steps as spans of replicas.
struct ServedRun {
  std::vector<Served> requests{};
  std::vector<TimelinePoint> timeline{};
  std::vector<collectives::TimelineEvent> spans{};  ///< "12 decodes, 2 prompts (2048 tokens)"
};

/// Simulates the option with its plan's traffic. `keeps_spans`: record a span per step.
[[nodiscard]] ServedRun serve_option(const ServingPlanRequest& request, const ServingOption& option,
                                     bool keeps_spans);

}  // namespace railyard::placement::serving
