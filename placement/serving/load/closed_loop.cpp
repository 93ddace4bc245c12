#include "placement/serving/load/closed_loop.hpp"

#include <algorithm>
#include <cmath>

#include "placement/serving/load/prompt_batch.hpp"

namespace railyard::placement::serving {

namespace {

/// Prompts that fill a step, at most `clients`.
double prompts_of_step(const Deployment& d, double input, double clients) {
  double held = std::max(1.0, d.token_budget / std::max(1.0, input));
  if (!cuts_prompts(d.engine)) held = std::floor(held);
  return std::min(held, clients);
}

/// What prompts do to the requests beside them; seconds.
struct PromptEffect {
  double tpot = 0;  ///< added to a decode step, mean over an answer
  double ttft = 0;  ///< of a request in the engine
};

PromptEffect spread_prompts(const StepModel& model, const ClosedLoad& load,
                            const StepBatch& decodes, double rate, double decoding) {
  const double c = load.concurrency;
  const StepBatch prompt = prompt_part(0, load.input, true);
  // Half a step of the others, and another where a step's batch is chosen during the step before.
  const double ahead = chooses_ahead(model.deployment().engine) ? 1.5 : 0.5;
  const PromptBatch mixed = prompt_batch(model, decodes, prompt, rate);
  return {.tpot = (c - 1) * decoding * mixed.added / load.output,
          .ttft = mixed.seconds + ahead * model.time(decodes).total()};
}

PromptEffect prompts_in_groups(const StepModel& model, const ClosedLoad& load,
                               const StepBatch& decodes, double decoding) {
  const double c = load.concurrency;
  const StepBatch prompt = prompt_part(0, load.input, true);
  const double n = prompts_of_step(model.deployment(), load.input, c);
  const PromptBatch mixed = prompts_together(model, decodes, prompt, n);
  const double before =
      c > n ? mixed.seconds : (1 - 1 / c) * prompts_together(model, {}, prompt, 1).seconds;
  return {.tpot = (c - n) * decoding * mixed.added / load.output, .ttft = mixed.seconds + before};
}

PromptEffect prompts_before_decodes(const StepModel& model, const ClosedLoad& load,
                                    const StepBatch& decodes) {
  const double c = load.concurrency;
  const StepBatch prompt = prompt_part(0, load.input, true);
  return {.tpot = (c - 1) / 2 * prompts_together(model, decodes, prompt, 1).added / load.output,
          .ttft = (c + 1) / 2 * model.time(prompt).total()};
}

}  // namespace

ClosedResult closed_loop(const StepModel& model, const ClosedLoad& load) {
  ClosedLoad one = load;
  one.concurrency = std::max(1.0, load.concurrency);
  const double c = one.concurrency, context = load.input + load.output / 2;
  const bool all_first = load.equal_lengths && !mixes_prompts(model.deployment().engine);
  ClosedResult r;
  double decoding = 1;
  // Each round halves the distance to the fixed point; 16 leave 1e-5 of it.
  for (int round = 0; round < 16; ++round) {
    r.running = all_first ? c : std::max(1.0, c * decoding);
    const StepBatch decodes = decode_batch(r.running, context);
    const double step = model.time(decodes).total();
    const double cycle = r.ttft + load.output * (r.tpot > 0 ? r.tpot : step);
    const PromptEffect prompts = all_first ? prompts_before_decodes(model, one, decodes)
                                 : load.equal_lengths
                                     ? prompts_in_groups(model, one, decodes, decoding)
                                     : spread_prompts(model, one, decodes, c / cycle, decoding);
    r.tpot = step + prompts.tpot;
    const double own = c > 1 ? prompts.ttft : model.time(prompt_part(0, load.input, true)).total();
    r.ttft = model.frontend().seconds(load.input) + own;
    const double all = load.output * r.tpot;
    const double next = (decoding + all / (all + r.ttft)) / 2;
    if (std::abs(next - decoding) < 1e-4) break;
    decoding = next;
  }
  r.tokens_per_s = c * load.output / (r.ttft + (load.output - 1) * r.tpot);
  return r;
}

}  // namespace railyard::placement::serving
