#include "placement/serving/load/closed_loop.hpp"

#include <algorithm>
#include <cmath>

#include "placement/serving/load/prompt_batch.hpp"

namespace railyard::placement::serving {

ClosedResult closed_loop(const StepModel& model, const ClosedLoad& load) {
  const double c = std::max(1.0, load.concurrency), context = load.input + load.output / 2;
  const StepBatch prompt = prompt_part(0, load.input, true);
  ClosedResult r;
  // Half a step of the others, and another where a step's batch is chosen during the step before.
  const double ahead = chooses_ahead(model.deployment().engine) ? 1.5 : 0.5;
  double decoding = 1;
  // Each round halves the distance to the fixed point; 16 leave 1e-5 of it.
  for (int round = 0; round < 16; ++round) {
    r.running = load.burst ? c : std::max(1.0, c * decoding);
    const StepBatch decodes = decode_batch(r.running, context);
    const double step = model.time(decodes).total();
    const double cycle = r.ttft + load.output * (r.tpot > 0 ? r.tpot : step);
    const PromptBatch mixed = prompt_batch(model, decodes, prompt, load.burst ? 0 : c / cycle);
    const double others = (c - 1) * (load.burst ? 0.5 : decoding);
    r.tpot = step + others * mixed.added / load.output;
    const double alone = model.time(prompt).total();
    r.ttft = model.frontend().seconds(load.input) + (load.burst ? (c + 1) / 2 * alone
                                                     : c > 1    ? mixed.seconds + ahead * step
                                                                : alone);
    const double all = load.output * r.tpot;
    const double next = (decoding + all / (all + r.ttft)) / 2;
    if (std::abs(next - decoding) < 1e-4) break;
    decoding = next;
  }
  r.tokens_per_s = c * load.output / (r.ttft + (load.output - 1) * r.tpot);
  return r;
}

}  // namespace railyard::placement::serving
