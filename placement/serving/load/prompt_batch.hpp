#pragma once

#include "placement/serving/step/step_model.hpp"

namespace railyard::placement::serving {

/// Steps that process parts of prompts and decodes together.
struct PromptBatch {
  double prompts = 1;  ///< of one such step
  double seconds = 0;  ///< of the step
  double added = 0;    ///< per prompt, to steps of the decodes alone
};

/// Prompts that arrive during a step with prompts run together in the next one:
///   prompts = max(1, rate · t(decodes and these prompts)), as many as the budget holds
///   added   = (t(decodes and prompts) - t(decodes)) / prompts
/// A step with prompts has a least time (launches of kernels without a CUDA graph), so several
/// prompts cost less than each alone. `rate` is in requests per second, `alone` the seconds of a
/// step with the decodes alone.
[[nodiscard]] PromptBatch prompt_batch(const StepModel& model, const StepBatch& decodes,
                                       const StepBatch& prompt, double rate, double alone);

/// Steps with so many prompts.
[[nodiscard]] PromptBatch prompts_together(const StepModel& model, const StepBatch& decodes,
                                           const StepBatch& prompt, double count, double alone);

}  // namespace railyard::placement::serving
