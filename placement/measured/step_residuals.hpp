#pragma once

#include <span>
#include <string>
#include <vector>

#include "collectives/nccl/timing/range/prediction_ranges.hpp"
#include "placement/measured/step_errors.hpp"
#include "placement/measured/step_predictor.hpp"

namespace railyard::placement {

/// The GPU of a machine as a part that steps rest on; its family is the GPU generation.
[[nodiscard]] collectives::nccl::MachinePart step_part(const topology::GpuSpec& gpu);

/// The GPUs that measured steps ran on; their tables are the clusters.
[[nodiscard]] std::vector<collectives::nccl::MeasuredPart> step_parts(
    StepPredictor& predictor, std::span<const PredictedStep> steps);

/// Residuals of steps that were predicted with efficiencies fitted without their machine
/// (PredictedStep::without_machine_s). Runs of one set on one cluster are a sweep, thinned to
/// kSweepRows; a cluster is a table.
[[nodiscard]] std::vector<collectives::nccl::Residual> step_residuals(
    StepPredictor& predictor, std::span<const PredictedStep> steps);

}  // namespace railyard::placement
