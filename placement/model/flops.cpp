#include "placement/model/flops.hpp"

#include "placement/model/encoder.hpp"
#include "placement/model/parameters.hpp"
#include "placement/model/towers.hpp"

namespace railyard::placement {
namespace {

/// Forward operations of all layers over `tokens` tokens.
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

double projector_weights(const TowerSpec& t, double hidden) {
  const double in = projector_inputs(t), inner = t.projector_hidden;
  return inner > 0 ? in * inner + inner * hidden : in * hidden;
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

double encoder_flops(const Job& job) {
  if (!job.model.encoder) return 0;
  const Job inside = encoder_job(job);
  const double tokens = inside.sequence;
  double forward = inside.model.layers * layer_flops(inside, tokens, false).total();
  for (const StemSpec& s : job.model.encoder->stem)
    forward += 2.0 * s.inputs * inside.model.hidden * s.per_token * tokens;
  return (job.model.encoder->frozen ? 1 : 3) * forward;
}

double tower_flops(const Job& job) {
  double flops = 0;
  for (const TowerSpec& t : job.model.towers) {
    const double tokens = t.inputs * t.tokens;
    const double layers = t.layers * layer_flops(tower_job(job, t), tokens, false).total() +
                          2.0 * t.patch * t.hidden * tokens;
    const double projector =
        2 * projector_weights(t, job.model.hidden) * t.inputs * projected_tokens(t);
    flops += (t.frozen ? 1 : 3) * layers + 3 * projector;
  }
  return flops;
}

double step_flops(const Job& job) {
  const double tokens = static_cast<double>(job.batch) * job.sequence;
  return 3 * (layers_flops(job, tokens) + head_flops(job.model, tokens)) +
         job.batch * (tower_flops(job) + encoder_flops(job));
}

double step_flops_recomputed(const Job& job) {
  const double tokens = static_cast<double>(job.batch) * job.sequence;
  // One more forward pass of a trained encoder: a third of its operations.
  const bool trained = job.model.encoder && !job.model.encoder->frozen;
  return step_flops(job) + layers_flops(job, tokens) +
         (trained ? job.batch * encoder_flops(job) / 3 : 0);
}

double training_flops(const Job& job) {
  const double step_tokens = static_cast<double>(job.batch) * job.sequence;
  return step_flops(job) * (job.tokens / step_tokens);
}

}  // namespace railyard::placement
