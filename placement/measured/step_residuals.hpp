#pragma once

#include <span>
#include <string>
#include <vector>

#include "collectives/nccl/timing/range/prediction_ranges.hpp"
#include "placement/measured/step_errors.hpp"
#include "placement/measured/step_predictor.hpp"

namespace railyard::placement {

/// The GPU of a machine, as a part on which step times depend; its family is the GPU generation.
[[nodiscard]] collectives::nccl::MachinePart step_part(const topology::GpuSpec& gpu);

/// The GPUs with measured steps; their tables are the clusters.
[[nodiscard]] std::vector<collectives::nccl::MeasuredPart> step_parts(
    StepPredictor& predictor, std::span<const PredictedStep> steps);

/// Residuals of steps that were predicted with efficiencies fitted without their machine
/// (PredictedStep::without_machine_s). The runs of one set on one cluster form a sweep, thinned to
/// kSweepRows; each cluster is a table.
[[nodiscard]] std::vector<collectives::nccl::Residual> step_residuals(
    StepPredictor& predictor, std::span<const PredictedStep> steps);

}  // namespace railyard::placement
