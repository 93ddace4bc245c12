#pragma once

#include "apps/output/rows.hpp"
#include "collectives/nccl/tuner/tuner_plan.hpp"

namespace railyard::apps {

/// The ranges of a plan as rows of a result.
[[nodiscard]] RowTable tuner_rows(const collectives::nccl::TunerPlan& plan);

}  // namespace railyard::apps
