#pragma once

#include <string>

#include "placement/model/job.hpp"

namespace railyard::placement {

/// The floating-point operations of the job's tokens, and the size of a checkpoint: "GPT-3 175B:
/// the training needs 323 ZFLOP (3738 PFLOP-days), ...". "" for a job without tokens.
[[nodiscard]] std::string training_size_text(const Job& job);

}  // namespace railyard::placement
