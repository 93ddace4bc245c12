#include "placement/model/flops.hpp"

#include "placement/model/encoder.hpp"
#include "placement/model/parameters.hpp"
#include "placement/model/towers.hpp"

namespace railyard::placement {
namespace {

/// Forward of all layers over `tokens` tokens.
double layers_flops(const Job& job, double tokens) {
  const int sparse = job.model.moe_layers();
  return (job.model.layers - sparse) * layer_flops(job, tokens, false).total() +
         sparse * layer_flops(job, tokens, true).total();
}

void add_cross(const Job& job, double tokens, LayerFlops& flops) {
  const Model& m = job.model;
  if (!m.encoder) return;
  const Model encoder = encoder_model(m);
  const double theirs = tokens * encoder.sequence / job.sequence;
  const double d = m.dim(), h = m.hidden;
  flops.cross_linear =
      2 * (tokens * 2 * h * m.heads * d + theirs * encoder.hidden * 2 * m.kv() * d);
  flops.cross_attention = 2.0 * encoder.sequence * m.heads * 2 * d * tokens;
}

}  // namespace

LayerFlops layer_flops(const Job& job, double tokens, bool with_experts) {
  Model weights_only = job.model;
  weights_only.biases = false;
  const Model& m = weights_only;
  const LayerParameters p = layer_parameters(m, with_experts);
  auto weights = static_cast<double>(p.attention + p.latent + p.mlp);
  if (with_experts && m.moe)
    weights += static_cast<double>(p.experts) / m.moe->experts * m.moe->top_k +
               static_cast<double>(m.hidden) * m.moe->experts;
  const double causal = job.attention != AttentionKernel::unfused && m.causal ? 0.5 : 1.0;
  const double attention = 2.0 * job.sequence * m.heads * (m.key_dim() + m.value_dim()) * causal;
  LayerFlops flops{.linear = 2 * weights * tokens, .attention = attention * tokens};
  add_cross(job, tokens, flops);
  return flops;
}

double head_flops(const Model& model, double tokens) {
  return 2.0 * model.hidden * model.vocabulary * tokens;
}

double step_flops(const Job& job) {
  const double tokens = static_cast<double>(job.batch) * job.sequence;
  return 3 * (layers_flops(job, tokens) + head_flops(job.model, tokens)) +
         job.batch * (tower_flops(job) + encoder_flops(job));
}

double step_flops_recomputed(const Job& job) {
  const double tokens = static_cast<double>(job.batch) * job.sequence;
  // Of an encoder that is trained its forward pass once more: a third of its operations.
  const bool trained = job.model.encoder && !job.model.encoder->frozen;
  return step_flops(job) + layers_flops(job, tokens) +
         (trained ? job.batch * encoder_flops(job) / 3 : 0);
}

double training_flops(const Job& job) {
  const double step_tokens = static_cast<double>(job.batch) * job.sequence;
  return step_flops(job) * (job.tokens / step_tokens);
}

}  // namespace railyard::placement
