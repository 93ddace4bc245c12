#pragma once

#include "placement/serving/step/step_model.hpp"

namespace railyard::placement::serving {

/// Steps that process parts of prompts together with decodes.
struct PromptBatch {
  double prompts = 1;  ///< number of prompts in one such step
  double seconds = 0;  ///< time of the step
  double added = 0;    ///< time added per prompt, compared with a step of decodes alone
};

/// Prompts that arrive during a step with prompts run together in the next one:
///
///   prompts = max(1, rate · t(decodes and these prompts)), limited by the token budget
///   added   = (t(decodes and prompts) - t(decodes)) / prompts
///
/// A step with prompts has a minimum time (kernel launches without a CUDA graph), so several
/// prompts together cost less than one by one. `rate` is in requests per second. `alone` is the
/// time of a step with the decodes alone, in seconds.
[[nodiscard]] PromptBatch prompt_batch(const StepModel& model, const StepBatch& decodes,
                                       const StepBatch& prompt, double rate, double alone);

/// The same for a given number of prompts per step.
[[nodiscard]] PromptBatch prompts_together(const StepModel& model, const StepBatch& decodes,
                                           const StepBatch& prompt, double count, double alone);

}  // namespace railyard::placement::serving
