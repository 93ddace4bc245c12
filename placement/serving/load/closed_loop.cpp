#include "placement/serving/load/closed_loop.hpp"

#include <algorithm>
#include <cmath>

#include "placement/serving/load/prompt_batch.hpp"

namespace railyard::placement::serving {

namespace {

/// Number of prompts that fill the token budget of a step, at most `clients`.
double prompts_of_step(const Deployment& d, double input, double clients) {
  double held = std::max(1.0, d.token_budget / std::max(1.0, input));
  if (!cuts_prompts(d.engine)) held = std::floor(held);
  return std::min(held, clients);
}

/// Time that prompts add to other requests, in seconds.
struct PromptEffect {
  double tpot = 0;  ///< per decode step, mean over an answer
  double ttft = 0;  ///< TTFT of a request inside the engine
};

/// Decodes of a step, and the time in seconds of a step without prompts.
struct Decoding {
  StepBatch batch{};
  double seconds = 0;
  double share = 1;  ///< share of a request's time in which it decodes
};

PromptEffect spread_prompts(const StepModel& model, const ClosedLoad& load, const Decoding& decodes,
                            double rate) {
  const double c = load.concurrency;
  const StepBatch prompt = prompt_part(0, load.input, true);
  // A request waits for half a step on average, and for one more if the engine chooses the batch of
  // a step during the step before.
  const double ahead = chooses_ahead(model.deployment().engine) ? 1.5 : 0.5;
  const PromptBatch mixed = prompt_batch(model, decodes.batch, prompt, rate, decodes.seconds);
  return {.tpot = (c - 1) * decodes.share * mixed.added / load.output,
          .ttft = mixed.seconds + ahead * decodes.seconds};
}

PromptEffect prompts_in_groups(const StepModel& model, const ClosedLoad& load,
                               const Decoding& decodes) {
  const double c = load.concurrency;
  const StepBatch prompt = prompt_part(0, load.input, true);
  const double n = prompts_of_step(model.deployment(), load.input, c);
  const PromptBatch mixed = prompts_together(model, decodes.batch, prompt, n, decodes.seconds);
  const double before = c > n ? mixed.seconds : (1 - 1 / c) * model.time(prompt).total();
  return {.tpot = (c - n) * decodes.share * mixed.added / load.output,
          .ttft = mixed.seconds + before};
}

PromptEffect prompts_before_decodes(const StepModel& model, const ClosedLoad& load,
                                    const Decoding& decodes) {
  const double c = load.concurrency;
  const StepBatch prompt = prompt_part(0, load.input, true);
  const PromptBatch mixed = prompts_together(model, decodes.batch, prompt, 1, decodes.seconds);
  return {.tpot = (c - 1) / 2 * mixed.added / load.output,
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
  const double alone = c > 1 ? 0 : model.time(prompt_part(0, load.input, true)).total();
  // A request decodes for most of its time, so each round changes the result by less than the round
  // before. At a jump (a larger CUDA graph) later rounds use half of the change.
  for (int round = 0; round < 16; ++round) {
    r.running = all_first ? c : std::max(1.0, c * decoding);
    Decoding decodes{.batch = decode_batch(r.running, context), .share = decoding};
    decodes.seconds = model.time(decodes.batch).total();
    const double cycle = r.ttft + load.output * (r.tpot > 0 ? r.tpot : decodes.seconds);
    const PromptEffect prompts = all_first ? prompts_before_decodes(model, one, decodes)
                                 : load.equal_lengths
                                     ? prompts_in_groups(model, one, decodes)
                                     : spread_prompts(model, one, decodes, c / cycle);
    r.tpot = decodes.seconds + prompts.tpot;
    r.ttft = model.frontend().seconds(load.input) + (c > 1 ? prompts.ttft : alone);
    const double all = load.output * r.tpot;
    const double change = all / (all + r.ttft) - decoding;
    if (std::abs(change) < 1e-5) break;
    decoding += round < 6 ? change : change / 2;
  }
  r.tokens_per_s = c * load.output / (r.ttft + (load.output - 1) * r.tpot);
  return r;
}

}  // namespace railyard::placement::serving
