#include "placement/serving/step/step_power.hpp"

#include <algorithm>
#include <cmath>

#include "placement/model/parameters.hpp"

namespace railyard::placement::serving {

double power_share(const Processor& gpu, double bytes, double flops, double seconds,
                   FlopRate peak) {
  const double memory = bytes / (seconds * gpu.gpu.memory_bandwidth.bytes_per_second());
  const double matrix = flops / (seconds * static_cast<double>(peak.per_second()));
  return std::min(1.03, 0.289 + 0.714 * memory + 3.16 * matrix);
}

double step_power_share(const Model& model, const Processor& gpu, const Deployment& d,
                        const ServingMemory& memory, const StepBatch& batch, double seconds) {
  const ModelParameters all = count_parameters(model);
  const double total = static_cast<double>(all.total), active = static_cast<double>(all.active);
  double read = 1;
  if (model.moe) {
    const double experts = static_cast<double>(model.moe_layers()) *
                           static_cast<double>(layer_parameters(model, true).experts);
    const double chosen = static_cast<double>(model.moe->top_k) / model.moe->experts;
    const double tokens = batch.tokens() * d.attention_dp;
    read = 1 - experts / total * std::pow(1 - chosen, tokens);
  }
  const double bytes = read * memory.weights + batch.decode_context * memory.kv_token_bytes;
  const double flops = 2 * active * batch.tokens() / (d.tp * d.pp);
  return power_share(gpu, bytes, flops, seconds, weight_arithmetic(gpu, d.formats.mlp).peak);
}

}  // namespace railyard::placement::serving
