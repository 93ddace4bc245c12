#include "placement/activations.hpp"

#include <algorithm>
#include <cmath>

#include "placement/encoder.hpp"

namespace railyard::placement {
namespace {

Bytes whole_bytes(double bytes) { return Bytes(std::llround(bytes)); }

/// Bytes per token of the inner tensors of an MLP: gelu keeps its input and output, swiglu the
/// gate, the value and their product.
double mlp_inner(const Model& model, double ffn, double element) {
  return (is_gated(model.mlp) ? 3 : 2) * ffn * element;
}

/// Queries, keys, values and context of one token, all heads; with MLA the compressed vectors too.
double attention_inner(const Model& m, double element) {
  const double both = m.key_dim() + m.value_dim();
  if (!m.mla) return element * (m.heads * both + m.kv() * both);
  return element * (2.0 * m.heads * both);
}

double compressed(const Model& m, double element) {
  return m.mla ? element * (m.mla->query_rank + m.mla->kv_rank + m.mla->rope_dim) : 0;
}

/// What a token of the decoder keeps of cross-attention: input of the norm and of the queries'
/// matrix, mask; and of what tp cuts queries and context, its part of the encoder's keys and
/// values, and scores (or a number a row).
struct CrossBytes {
  double whole = 0, cut = 0;
};
CrossBytes cross_bytes(const Job& job, Recompute recompute) {
  const Model& m = job.model;
  if (!m.encoder) return {};
  const double x = job.element_bytes(), keys = m.encoder->tokens, both = 2.0 * m.dim();
  CrossBytes bytes{.whole = (2 * x + (m.dropout ? 1 : 0)) * m.hidden,
                   .cut = x * both * (m.heads + m.kv() * keys / job.sequence)};
  if (job.attention != AttentionKernel::unfused)
    bytes.cut += 4.0 * m.heads;
  else if (recompute == Recompute::none)
    bytes.cut += (x + (m.dropout ? 1 + x : 0)) * m.heads * keys;
  return bytes;
}

}  // namespace

double micro_batch_tokens(const Job& job, const Strategy& strategy) {
  return static_cast<double>(strategy.micro_batch) * job.sequence / strategy.cp;
}

Bytes layer_activations(const Job& job, const Strategy& s, Recompute recompute, bool with_experts) {
  const Model& m = job.model;
  const double tokens = micro_batch_tokens(job, s), element = job.element_bytes();
  const double h = m.hidden, tp = s.tp, norm_cut = s.sequence_parallel ? tp : 1.0;
  if (recompute == Recompute::full) return whole_bytes(tokens * element * h / norm_cut);
  const CrossBytes cross = cross_bytes(job, recompute);
  const double whole =
      4 * element * h + (m.dropout ? 2 * h : 0) + compressed(m, element) + cross.whole;
  double cut = attention_inner(m, element) + cross.cut;
  if (with_experts && m.moe) {
    const double routed = m.moe->top_k * (element * h * s.etp + mlp_inner(m, m.moe->ffn, element));
    cut += routed + mlp_inner(m, m.moe->shared_ffn, element);
  } else {
    cut += mlp_inner(m, m.ffn, element);
  }
  if (job.attention != AttentionKernel::unfused)
    cut += 4.0 * m.heads;
  else if (recompute == Recompute::none)
    cut += (element + (m.dropout ? 1 + element : 0)) * m.heads * job.sequence;
  return whole_bytes(tokens * (whole / norm_cut + cut / tp));
}

Bytes logits(const Job& job, const Strategy& s) {
  const double bytes = 4 + job.element_bytes();
  return whole_bytes(micro_batch_tokens(job, s) * job.model.vocabulary * bytes / s.tp);
}

double in_flight(int batch, const Strategy& s, int stage) {
  const double m = micro_batches(batch, s);
  const double p = s.pp;
  switch (s.schedule) {
    case PipelineSchedule::gpipe: return m;
    case PipelineSchedule::dualpipe: return std::min(m, p + 1);
    case PipelineSchedule::interleaved:
      if (s.interleave > 1) return std::min(m, p - stage + (p - 1) / s.interleave);
      break;
    case PipelineSchedule::one_f_one_b:
    case PipelineSchedule::zero_bubble: break;
  }
  return std::min(m, p - stage);
}

}  // namespace railyard::placement
