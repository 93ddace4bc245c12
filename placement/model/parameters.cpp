#include "placement/model/parameters.hpp"

#include "placement/model/encoder.hpp"
#include "placement/model/towers.hpp"

namespace railyard::placement {
namespace {

std::int64_t norm_parameters(const Model& model, std::int64_t channels) {
  return (model.norm == Norm::layer_norm ? 2 : 1) * channels;
}

std::int64_t linear(std::int64_t in, std::int64_t out, bool bias) {
  return in * out + (bias ? out : 0);
}

std::int64_t mlp_parameters(const Model& model, std::int64_t ffn) {
  const std::int64_t h = model.hidden;
  const std::int64_t up = linear(h, ffn, model.biases);
  return (is_gated(model.mlp) ? 2 : 1) * up + linear(ffn, h, model.biases);
}

/// Parameters of a tower's transformer: patch embedding, positions, layers and final norm.
std::int64_t transformer_parameters(const TowerSpec& t) {
  const std::int64_t h = t.hidden, norm = (t.norm == Norm::layer_norm ? 2 : 1) * h;
  return linear(t.patch, h, false) + t.positions * h + norm +
         t.layers * layer_parameters(tower_model(t), false).total();
}

std::int64_t projector_parameters(const TowerSpec& t, std::int64_t hidden) {
  const auto in = static_cast<std::int64_t>(projector_inputs(t));
  if (t.projector_hidden == 0) return linear(in, hidden, t.biases);
  return linear(in, t.projector_hidden, t.biases) + linear(t.projector_hidden, hidden, t.biases);
}

/// Adds multi-head latent attention: down-projections, each with a norm, and up-projections to
/// heads.
void add_latent(const Model& model, const MlaSpec& mla, LayerParameters& p) {
  const std::int64_t h = model.hidden, heads = model.heads, rq = mla.query_rank, rkv = mla.kv_rank;
  p.latent = h * (rq + rkv + mla.rope_dim);
  p.replicated += norm_parameters(model, rq) + norm_parameters(model, rkv);
  p.attention = (rq > 0 ? rq : h) * heads * model.key_dim() +
                rkv * heads * (mla.nope_dim + mla.value_dim) + heads * mla.value_dim * h;
}

/// Attention whose keys and values are computed from vectors of size `from` (cross-attention: the
/// encoder's hidden size).
std::int64_t attention_parameters(const Model& m, std::int64_t from) {
  const std::int64_t h = m.hidden, d = m.dim(), inner = m.heads * d, kv = m.kv() * d;
  const std::int64_t keys = linear(from, kv, m.biases && m.key_bias);
  return linear(h, inner, m.biases) + keys + linear(from, kv, m.biases) +
         linear(inner, h, m.biases);
}

}  // namespace

LayerParameters layer_parameters(const Model& model, bool with_experts) {
  const std::int64_t h = model.hidden;
  LayerParameters p;
  p.replicated = (model.encoder ? 3 : 2) * norm_parameters(model, h);
  // One weight per channel of a head, shared by all heads.
  if (model.qk_norm) p.replicated += 2 * norm_parameters(model, model.dim());
  if (model.mla)
    add_latent(model, *model.mla, p);
  else
    p.attention = attention_parameters(model, h);
  if (model.encoder) p.cross = attention_parameters(model, encoder_model(model).hidden);
  if (!with_experts || !model.moe) {
    p.mlp = mlp_parameters(model, model.ffn);
    return p;
  }
  p.experts = model.moe->experts * mlp_parameters(model, model.moe->ffn);
  p.mlp = model.moe->shared_ffn > 0 ? mlp_parameters(model, model.moe->shared_ffn) : 0;
  p.replicated += h * model.moe->experts;
  return p;
}

std::int64_t relative_parameters(const Model& model) {
  return std::int64_t{model.relative_buckets} * model.heads;
}

std::int64_t encoder_parameters(const Model& model) {
  if (!model.encoder) return 0;
  const Model m = encoder_model(model);
  const std::int64_t h = m.hidden, norm = (m.norm == Norm::layer_norm ? 2 : 1) * h;
  std::int64_t stem = 0;
  for (const StemSpec& s : model.encoder->stem) stem += h * s.inputs + (m.biases ? h : 0);
  return stem + h * m.positions + relative_parameters(m) + norm +
         m.layers * layer_parameters(m, false).total();
}

TowerParameters tower_parameters(const Model& model) {
  TowerParameters p;
  for (const TowerSpec& t : model.towers) {
    (t.frozen ? p.frozen : p.trained) += transformer_parameters(t);
    p.projector += projector_parameters(t, model.hidden);
  }
  return p;
}

ModelParameters count_parameters(const Model& model) {
  const std::int64_t h = model.hidden, sparse = model.moe_layers(), dense = model.layers - sparse;
  ModelParameters p;
  p.embedding = h * (model.vocabulary + model.positions) + relative_parameters(model);
  p.head = model.tied_embeddings ? 0 : h * model.vocabulary;
  p.final_norm = norm_parameters(model, h);
  const LayerParameters plain = layer_parameters(model, false),
                        mixed = layer_parameters(model, true);
  p.layers = dense * plain.total() + sparse * mixed.total();
  p.towers = tower_parameters(model).total();
  p.encoder = encoder_parameters(model);
  p.total = p.embedding + p.head + p.layers + p.final_norm + p.towers + p.encoder;
  p.active = p.total;
  if (model.moe)
    p.active -=
        sparse * (mixed.experts / model.moe->experts) * (model.moe->experts - model.moe->top_k);
  return p;
}

}  // namespace railyard::placement
