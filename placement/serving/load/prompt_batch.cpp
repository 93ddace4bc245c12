#include "placement/serving/load/prompt_batch.hpp"

#include <algorithm>
#include <cmath>

namespace railyard::placement::serving {
namespace {

StepBatch with_prompts(const StepBatch& decodes, const StepBatch& prompt, double count) {
  StepBatch all = decodes;
  all.prompts += count * prompt.prompts;
  all.prompt_tokens += count * prompt.prompt_tokens;
  all.prompt_pairs += count * prompt.prompt_pairs;
  all.first_tokens += count * prompt.first_tokens;
  return all;
}

}  // namespace

PromptBatch prompts_together(const StepModel& model, const StepBatch& decodes,
                             const StepBatch& prompt, double count, double alone) {
  const double seconds = model.time(with_prompts(decodes, prompt, count)).total();
  return {.prompts = count, .seconds = seconds, .added = (seconds - alone) / count};
}

PromptBatch prompt_batch(const StepModel& model, const StepBatch& decodes, const StepBatch& prompt,
                         double rate, double alone) {
  const double budget = model.deployment().token_budget;
  const double most = std::max(1.0, budget / std::max(1.0, prompt.prompt_tokens));
  const auto seconds = [&](double count) {
    return model.time(with_prompts(decodes, prompt, count)).total();
  };
  // Solves n = rate · t(n). t(n) is taken as a line through two numbers of prompts. It is not
  // linear only where the GPU hides kernel launches.
  double last = 1, last_seconds = seconds(1);
  double next = std::clamp(2 * rate * last_seconds, 1.0, most);
  for (int round = 0; round < 6 && std::abs(next - last) > 1e-3 * next; ++round) {
    const double now = seconds(next), slope = (now - last_seconds) / (next - last);
    last = next, last_seconds = now;
    const double left = 1 - rate * slope;
    next = left > 0 ? std::clamp(rate * (now - slope * last) / left, 1.0, most) : most;
  }
  return prompts_together(model, decodes, prompt, next, alone);
}

}  // namespace railyard::placement::serving
