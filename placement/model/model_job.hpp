#pragma once

#include <optional>
#include <string>

#include "placement/model/job.hpp"

namespace railyard::placement {

/// A job that was made from a model.
struct ModelJob {
  Job job;
  std::string note;  ///< where its settings are from; "" where there is nothing to say
};
/// The job of a model (a name, or a path): that of the same name in configs/jobs, else one with 4M
/// tokens per step in bf16, in sequences of the model's length, at most 8192 tokens (what a
/// config.json of Hugging Face states is the longest that the model accepts). `batch`: sequences
/// per step, `sequence`: tokens per sequence instead of those. Throws InputError with every
/// problem.
[[nodiscard]] ModelJob job_of_model(const std::string& model, std::optional<int> batch,
                                    std::optional<int> sequence = {});

}  // namespace railyard::placement
