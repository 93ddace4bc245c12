#pragma once

#include <memory>
#include <string>

#include "apps/output/rows.hpp"
#include "apps/plan/serve/serve_flags.hpp"
#include "placement/serving/planner/serving_option.hpp"

namespace railyard::apps {

/// What `railyard plan serve` is asked, as values.
struct ServeRequest {
  std::shared_ptr<const placement::Model> model{}, draft{};  ///< `plan` refers to them
  placement::serving::ServingPlanRequest plan;
  std::string currency{};  ///< of prices; "": none
};

/// Reads the files of the flags. Adds what it reads and assumes to `provenance`. Throws InputError
/// for values that no candidate can have.
[[nodiscard]] ServeRequest serve_request(const ServeFlags& flags, Provenance& provenance);

}  // namespace railyard::apps
