#include "placement/serving/load/open_load.hpp"

#include <algorithm>
#include <cmath>

#include "placement/serving/load/prompt_batch.hpp"

namespace railyard::placement::serving {
namespace {

/// The largest part of a step. Reading weights and KV cache counts as memory bandwidth.
ServingLimit largest_part(const StepTime& t, double use) {
  if (use > 0.5) return ServingLimit::compute;
  const double memory = t.linear + t.experts + t.attention;
  if (t.communication > memory && t.communication > t.host) return ServingLimit::communication;
  return t.host > memory ? ServingLimit::host : ServingLimit::hbm;
}

}  // namespace

std::string_view name_of(ServingLimit limit) {
  switch (limit) {
    case ServingLimit::none: return "none";
    case ServingLimit::compute: return "compute";
    case ServingLimit::hbm: return "hbm";
    case ServingLimit::kv_memory: return "kv_memory";
    case ServingLimit::sequences: return "sequences";
    case ServingLimit::communication: return "communication";
    case ServingLimit::host: return "host";
  }
  return "none";
}

double pipeline_seconds(const StepModel& model, double input) {
  const double stages = model.deployment().pp;
  return stages > 1 ? (1 - 1 / stages) * model.time(prompt_part(0, input, true)).total() : 0;
}

OpenResult open_load(const StepModel& model, const ServingMemory& memory, const OpenLoad& load) {
  const Deployment& d = model.deployment();
  const double rate = load.rate / d.attention_dp, context = load.input + load.output / 2;
  const double held = memory.sequences(load.input + load.output, d.block_tokens);
  const double most = std::min<double>(d.max_sequences, held);
  OpenResult r;
  if (most < 1) {
    r.bound_by = ServingLimit::kv_memory;
    return r;
  }
  const StepBatch prompt = prompt_part(load.cached, load.input - load.cached, true);
  double step = model.time(decode_batch(1, context)).total();
  for (int round = 0; round < 200; ++round) {
    r.running = rate * load.output * step;
    if (r.running > most) {
      r.bound_by = held < d.max_sequences ? ServingLimit::kv_memory : ServingLimit::sequences;
      return r;
    }
    const StepBatch decodes = decode_batch(std::max(1.0, r.running), context);
    const StepTime parts = model.time(decodes);
    const double alone = parts.total();
    const PromptBatch mixed = prompt_batch(model, decodes, prompt, rate, alone);
    const double added = mixed.added;
    r.use = rate * added;
    if (r.use >= 1) {
      r.bound_by = ServingLimit::compute;
      return r;
    }
    const double next = alone / (1 - r.use);
    r.bound_by = largest_part(parts, r.use);
    r.ttft = model.frontend().seconds(load.input) + pipeline_seconds(model, load.input) +
             mixed.seconds + step / 2 + r.use * added / (2 * (1 - r.use));
    if (std::abs(next - step) < 1e-9 * step) {
      r.stable = true;
      r.step = next;
      return r;
    }
    step = (step + next) / 2;
  }
  r.stable = true;
  r.step = step;
  return r;
}

Saturation saturation(const StepModel& model, const ServingMemory& memory, const OpenLoad& load) {
  const auto at = [&](double rate) {
    OpenLoad one = load;
    one.rate = rate;
    return open_load(model, memory, one);
  };
  double low = 0, high = 1;
  OpenResult at_high;
  while ((at_high = at(high)).stable && high < 1e9) low = high, high *= 2;
  for (int i = 0; i < 40 && high - low > 1e-4 * high; ++i) {
    const double middle = (low + high) / 2;
    const OpenResult r = at(middle);
    if (r.stable) {
      low = middle;
    } else {
      high = middle;
      at_high = r;
    }
  }
  return {.rate = low, .limit = at_high.bound_by};
}

}  // namespace railyard::placement::serving
