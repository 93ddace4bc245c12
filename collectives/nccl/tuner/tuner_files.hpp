#pragma once

#include <string>

#include "collectives/nccl/tuner/tuner_plan.hpp"

namespace railyard::collectives::nccl {

/// The plan as a configuration of NCCL's example tuner (CSV). Every size of every collective has a
/// row with an explicit number of channels, because the example tuner otherwise uses 1 channel
/// (docs/models/nccl_tuning.md). `about` is written as a comment on the first line.
[[nodiscard]] std::string tuner_csv(const TunerPlan& plan, const std::string& about);

/// The file for libnccl-tuner-railyard.so (JSON): only the ranges that differ from NCCL's choice.
[[nodiscard]] std::string tuner_json(const TunerPlan& plan, const std::string& about);

}  // namespace railyard::collectives::nccl
