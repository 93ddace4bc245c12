#pragma once

#include <string>
#include <vector>

#include "placement/model/job.hpp"

namespace railyard::placement {

/// The odd factor of a number of GPUs that a batch lacks: 63 for 2016 = 2^5 x 3^2 x 7 GPUs and a
/// batch of 512. Data parallelism divides the batch, so tp, pp or cp must contain this factor.
[[nodiscard]] int missing_factor(int batch, int gpus);

/// What is surprising about the batch of a job on so many GPUs: far more tokens per step than any
/// published training has, or a factor of the GPUs that it lacks.
[[nodiscard]] std::vector<std::string> batch_notes(const Job& job, int gpus);

}  // namespace railyard::placement
