#pragma once

#include <optional>

#include "apps/cli/flags.hpp"

namespace railyard::apps {

/// --batch: sequences of a training step; nothing: as in the job, `otherwise` where there is none.
[[nodiscard]] Flag add_batch_flag(FlagSet app, std::optional<int>& batch,
                                  const char* otherwise = "");
/// --batch and --sequence: sequences of a training step and their tokens; nothing: as in the job.
void add_job_size_flags(FlagSet app, std::optional<int>& batch, std::optional<int>& sequence);

}  // namespace railyard::apps
