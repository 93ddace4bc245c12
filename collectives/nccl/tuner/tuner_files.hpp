#pragma once

#include <string>

#include "collectives/nccl/tuner/tuner_plan.hpp"

namespace railyard::collectives::nccl {

/// A configuration of NCCL's example tuner. Every size of every collective has a row with explicit
/// channels, because the example tuner uses 1 channel where a row has none
/// (docs/models/nccl_tuning.md). `about` is a comment on the first line.
[[nodiscard]] std::string tuner_csv(const TunerPlan& plan, const std::string& about);

/// The file that libnccl-tuner-railyard.so reads: only the ranges that differ from NCCL's choice.
[[nodiscard]] std::string tuner_json(const TunerPlan& plan, const std::string& about);

}  // namespace railyard::collectives::nccl
