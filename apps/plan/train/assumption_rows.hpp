#pragma once

#include <span>
#include <string>

#include "apps/output/rows.hpp"
#include "placement/capacity/training/training_option.hpp"

namespace railyard::apps {

/// What a plan contains beyond what every plan does, and the choice of --without-spare.
struct PlanParts {
  bool purchase = false, grey = false;
  std::string without_spare{};
};
/// The assumptions of all options; those of such parts only where the plan contains them. Then the
/// power of the switches and optics of the options by the price list, and what the job does when a
/// node fails and no spare is left.
[[nodiscard]] RowTable tabulate_assumptions(const placement::Assumptions& assumed,
                                            const PlanParts& parts,
                                            std::span<const placement::TrainingOption> options);

}  // namespace railyard::apps
