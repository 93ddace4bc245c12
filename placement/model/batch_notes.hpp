#pragma once

#include <string>
#include <vector>

#include "placement/model/job.hpp"

namespace railyard::placement {

/// Product of the odd prime factors of `gpus` that `batch` does not contain; 1 if there are none.
/// Example: 63 for 2016 = 2^5 x 3^2 x 7 GPUs and a batch of 512. Data parallelism divides the
/// batch, so tp, pp or cp must contain this factor.
[[nodiscard]] int missing_factor(int batch, int gpus);

/// Warnings about the batch of a job on `gpus` GPUs: more than 1e9 tokens per step (published
/// trainings have at most 63M), or a missing_factor above 1. Empty if the batch is usual.
[[nodiscard]] std::vector<std::string> batch_notes(const Job& job, int gpus);

}  // namespace railyard::placement
