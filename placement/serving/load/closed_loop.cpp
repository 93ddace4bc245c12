#include "placement/serving/load/closed_loop.hpp"

#include <algorithm>
#include <cmath>

namespace railyard::placement::serving {

ClosedResult closed_loop(const StepModel& model, const ClosedLoad& load) {
  const double c = std::max(1.0, load.concurrency), context = load.input + load.output / 2;
  const StepBatch prompt = prompt_part(0, load.input, true);
  ClosedResult r;
  double decoding = 1;
  // Each round halves the distance to the fixed point; 16 leave 1e-5 of it.
  for (int round = 0; round < 16; ++round) {
    r.running = load.burst ? c : std::max(1.0, c * decoding);
    const StepBatch decodes = decode_batch(r.running, context);
    StepBatch mixed = decodes;
    mixed += prompt;
    const double step = model.time(decodes).total(), with_prompt = model.time(mixed).total();
    const double others = (c - 1) * (load.burst ? 0.5 : decoding);
    r.tpot = step + others * (with_prompt - step) / load.output;
    const double alone = model.time(prompt).total();
    r.ttft = model.request_seconds() + (load.burst ? (c + 1) / 2 * alone
                                        : c > 1    ? with_prompt + step / 2
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
