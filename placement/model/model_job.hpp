#pragma once

#include <optional>
#include <string>

#include "placement/model/job.hpp"

namespace railyard::placement {

/// A job derived from a model, for commands that are given a model only.
struct ModelJob {
  Job job;
  std::string note;  ///< source of its settings, for the user; "" if there is nothing to report
};
/// The job of a model (a name, or a path): the file with the same name in configs/jobs if there is
/// one. Otherwise a bf16 job with 4M tokens per step and the model's sequence length, at most 8192
/// tokens, because a config.json of Hugging Face gives the longest sequence that the model accepts.
/// `batch` (sequences per step) and `sequence` (tokens) override those values. Throws InputError
/// that lists every problem.
[[nodiscard]] ModelJob job_of_model(const std::string& model, std::optional<int> batch,
                                    std::optional<int> sequence = {});

}  // namespace railyard::placement
