#include "placement/serving/step/serving_memory.hpp"

#include <algorithm>
#include <cmath>

#include "placement/model/parameters.hpp"

namespace railyard::placement::serving {

double ServingMemory::sequence_bytes(double tokens, int block_tokens) const {
  return std::ceil(tokens / block_tokens) * block_tokens * kv_token_bytes + kv_window_bytes;
}

double ServingMemory::sequences(double tokens, int block_tokens) const {
  return std::max(0.0, std::floor(kv_pool / sequence_bytes(tokens, block_tokens)));
}

double kv_group(const Model& model) { return model.mla ? 128 : model.dim(); }

ServingMemory serving_memory(const Model& model, const Processor& gpu, const Deployment& d) {
  const auto number = [](std::int64_t n) { return static_cast<double>(n); };
  const LayerParameters dense = layer_parameters(model, false);
  const LayerParameters sparse = layer_parameters(model, true);
  const double stage = 1.0 / d.pp, t = d.tp;
  const double moe_layers = model.moe_layers(), layers = model.layers;
  const double slots =
      model.moe ? 1 + static_cast<double>(d.redundant_experts) / model.moe->experts : 1;
  const double attention = bytes_per_value(d.formats.attention),
               mlp = bytes_per_value(d.formats.mlp);
  double weights = layers * ((number(dense.attention) / t + number(dense.latent)) * attention +
                             2 * number(dense.replicated));
  weights += (layers - moe_layers) * number(dense.mlp) / t * mlp;
  weights += moe_layers *
             (number(sparse.mlp) / t * mlp + number(sparse.experts) * slots / d.expert_ranks() *
                                                 bytes_per_value(d.formats.experts));
  weights *= stage;
  // The first stage has the embedding and the last one the head. With one stage it has both.
  const double table = 2.0 * model.vocabulary * model.hidden / t;
  weights += d.pp > 1 || model.tied_embeddings ? table : 2 * table;

  const double kv = kv_bytes_per_value(d.formats.kv, kv_group(model));
  const double each = model.mla ? (model.mla->kv_rank + model.mla->rope_dim) * kv
                                : 2 * std::max(1.0, model.kv() / t) * model.dim() * kv;
  const double windowed = model.windowed();
  // Inputs and outputs of the widest products and the residual, for a full step; logits in fp32.
  const double widest =
      std::max<double>(model.ffn, model.moe ? model.moe->ffn * model.moe->top_k : 0);
  const double gates = is_gated(model.mlp) ? 2 : 1;
  const double activations =
      2.0 * d.token_budget * (4.0 * model.hidden + (gates + 1) * widest / t) +
      4.0 * d.max_sequences * model.vocabulary;
  ServingMemory memory{
      .budget = d.memory_share * static_cast<double>(gpu.gpu.memory.count()),
      .weights = weights,
      .activations = activations,
      .kv_token_bytes = (layers - windowed) * stage * each,
      .kv_window_bytes = windowed * stage * each * model.window,
      .host_bandwidth = gpu.spec.host_bandwidth.bytes_per_second(),
  };
  memory.kv_pool = memory.budget - weights - activations;
  return memory;
}

std::optional<int> smallest_tp(const Model& model, const Processor& gpu, Deployment deployment,
                               double tokens, int most) {
  const int ranks = deployment.expert_ranks();
  for (int tp = deployment.tp; tp <= most; tp *= 2) {
    if (model.heads % tp != 0) break;
    Deployment one = deployment;
    one.tp = tp;
    if (one.ep > 1) one.ep = deployment.ep * one.expert_ranks() / ranks;
    if (serving_memory(model, gpu, one).sequences(tokens, one.block_tokens) >= 1) return tp;
  }
  return std::nullopt;
}

}  // namespace railyard::placement::serving
