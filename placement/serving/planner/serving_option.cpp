#include "placement/serving/planner/serving_option.hpp"

namespace railyard::placement::serving {

std::optional<double> ServingOption::cost_per_million() const {
  if (!cost_per_hour || tokens_per_s <= 0) return std::nullopt;
  return *cost_per_hour / (tokens_per_s * 3600) * 1e6;
}

}  // namespace railyard::placement::serving
