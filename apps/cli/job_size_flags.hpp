#pragma once

#include <optional>

#include "apps/cli/flags.hpp"

namespace railyard::apps {

/// --batch: sequences per training step; not set: from the job, or `otherwise` without a job.
[[nodiscard]] Flag add_batch_flag(FlagSet app, std::optional<int>& batch,
                                  const char* otherwise = "");
/// --batch and --sequence: sequences per training step and tokens per sequence; not set: from the
/// job.
void add_job_size_flags(FlagSet app, std::optional<int>& batch, std::optional<int>& sequence);

}  // namespace railyard::apps
