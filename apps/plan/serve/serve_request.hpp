#pragma once

#include <memory>
#include <string>

#include "apps/output/rows.hpp"
#include "apps/plan/serve/serve_flags.hpp"
#include "placement/serving/planner/serving_option.hpp"

namespace railyard::apps {

/// The request of `railyard plan serve`, as values.
struct ServeRequest {
  std::shared_ptr<const placement::Model> model{}, draft{};  ///< `plan` refers to them
  placement::serving::ServingPlanRequest plan;
  std::string currency{};  ///< currency of prices; "": no prices
};

/// Reads the files of the flags. Adds files and assumptions to `provenance`. Throws InputError for
/// values that no candidate supports.
[[nodiscard]] ServeRequest serve_request(const ServeFlags& flags, Provenance& provenance);

}  // namespace railyard::apps
