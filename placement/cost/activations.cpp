#include "placement/cost/activations.hpp"

#include <algorithm>
#include <cmath>

#include "placement/model/encoder.hpp"

namespace railyard::placement {
namespace {

Bytes whole_bytes(double bytes) { return Bytes(std::llround(bytes)); }

/// Bytes per element of a tensor kept for the backward pass, by its reader: elementwise kernels and
/// attention (kept), an activation function (act), a product (input). With fp8 a product keeps its
/// 8-bit copy, which replaces the 16-bit tensor if nothing else reads that.
struct Element {
  double kept = 2, act = 2, input = 2;
};
Element element_of(const Job& job, LayerPart part, bool edge) {
  const double kept = job.element_bytes();
  const Precision precision = job.precision_of(part, edge);
  return {.kept = kept,
          .act = job.fp8_act_input ? 1 : kept,
          .input = is_narrow(precision) ? operand_bytes(precision) : kept};
}

/// Operations whose outputs are recomputed in the backward pass.
struct Recomputed {
  bool norms = false, act = false, mla = false;
};
Recomputed recomputed_of(const Strategy& s) {
  return {.norms = s.recompute_norms, .act = s.recompute_act, .mla = s.recompute_mla};
}

/// Bytes per token of an MLP's inner tensors: gelu keeps its input and output; swiglu keeps gate,
/// value and their product. The last tensor is the input of the second matrix.
double mlp_inner(const Model& model, double ffn, const Element& element,
                 const Recomputed& recomputed) {
  return (is_gated(model.mlp) ? 2 : 1) * ffn * element.act +
         (recomputed.act ? 0 : ffn * element.input);
}

/// Bytes per token of a layer. whole, masks: on every rank (divided only by sequence parallelism);
/// cut: divided by tensor parallelism; core: of the latter, what only the attention core needs.
struct LayerBytes {
  double whole = 0, masks = 0, cut = 0, core = 0;
};

/// Bytes of queries, keys, values and context per token, all heads. Attention keeps its context in
/// 16 bits for its own gradient; with fp8 the output projection keeps an 8-bit copy too.
double attention_inner(const Model& m, int tp, const Element& element,
                       const Recomputed& recomputed) {
  const double both = m.key_dim() + m.value_dim(), context = m.heads * m.value_dim();
  const double copy = element.input < element.kept ? element.input * context : 0;
  const double made = m.heads * m.key_dim() + m.kv_heads_over(tp) * both;
  return element.kept * (context + (recomputed.mla ? 0 : made)) + copy;
}

/// MLA: the compressed vectors before and after their norms, and the rotary part of the key.
double compressed(const Model& m, double element, const Recomputed& recomputed) {
  if (!m.mla) return 0;
  const double vectors = m.mla->query_rank + m.mla->kv_rank;
  return element * ((recomputed.norms ? 1 : 2) * vectors + m.mla->rope_dim);
}

/// Experts: inputs of a token's slots, and inner tensors of routed and shared experts.
double routed(const Model& m, const Strategy& s, const Element& element, const Element& shared,
              const Recomputed& recomputed) {
  const MoeSpec& moe = *m.moe;
  return moe.slots() *
             (element.input * m.hidden * s.etp + mlp_inner(m, moe.ffn, element, recomputed)) +
         mlp_inner(m, moe.shared_ffn, shared, recomputed);
}

/// Adds cross-attention. On every rank: input of the norm and of the query projection, and the
/// dropout mask. Divided by tp: queries, context, keys and values of the encoder's tokens, and
/// scores (flash: one fp32 number per row).
void add_cross(const Job& job, const Recomputed& recomputed, LayerBytes& bytes) {
  const Model& m = job.model;
  if (!m.encoder) return;
  const double x = job.element_bytes(), keys = m.encoder->tokens, both = 2.0 * m.dim();
  bytes.whole += (recomputed.norms ? 1 : 2) * x * m.hidden;
  if (m.dropout) bytes.masks += m.hidden;
  bytes.cut += x * both * (m.heads + m.kv() * keys / job.sequence);
  bytes.core += job.attention == AttentionKernel::unfused
                    ? (x + (m.dropout ? 1 + x : 0)) * m.heads * keys
                    : 4.0 * m.heads;
}

LayerBytes layer_bytes(const Job& job, const Strategy& s, bool with_experts, bool edge,
                       const Recomputed& recomputed) {
  const Model& m = job.model;
  const double x = job.element_bytes(), h = m.hidden;
  const bool routes = with_experts && m.moe;
  const auto of = [&](LayerPart part) { return element_of(job, part, edge); };
  const Element attention = of(LayerPart::attention), dense = of(LayerPart::mlp);
  const Element experts = of(LayerPart::experts);
  // Inputs of the products behind the two norms.
  const double inputs = recomputed.norms ? 0 : attention.input + (routes ? experts : dense).input;
  LayerBytes bytes{.whole = (2 * x + inputs) * h + compressed(m, x, recomputed),
                   .masks = m.dropout ? 2 * h : 0};
  bytes.cut =
      attention_inner(m, s.tp, attention, recomputed) +
      (routes ? routed(m, s, experts, dense, recomputed) : mlp_inner(m, m.ffn, dense, recomputed));
  bytes.core = job.attention == AttentionKernel::unfused
                   ? (x + (m.dropout ? 1 + x : 0)) * m.heads * job.sequence
                   : 4.0 * m.heads;
  add_cross(job, recomputed, bytes);
  return bytes;
}

Bytes on_rank(const Job& job, const Strategy& s, double whole, double cut) {
  const double norm_cut = s.sequence_parallel ? s.tp : 1.0;
  return whole_bytes(micro_batch_tokens(job, s) * (whole / norm_cut + cut / s.tp));
}

}  // namespace

double micro_batch_tokens(const Job& job, const Strategy& strategy) {
  return static_cast<double>(strategy.micro_batch) * job.sequence / strategy.cp;
}

Bytes layer_activations(const Job& job, const Strategy& s, Recompute recompute, bool with_experts,
                        bool edge) {
  if (recompute == Recompute::full)
    return on_rank(job, s, static_cast<double>(job.element_bytes()) * job.model.hidden, 0);
  const LayerBytes bytes = layer_bytes(job, s, with_experts, edge, recomputed_of(s));
  const bool core = recompute == Recompute::selective && job.attention == AttentionKernel::unfused;
  return on_rank(job, s, bytes.whole + bytes.masks, bytes.cut + (core ? 0 : bytes.core));
}

Bytes recomputed_outputs(const Job& job, const Strategy& s, bool with_experts) {
  if (!s.recomputes_operations()) return Bytes();
  const LayerBytes all = layer_bytes(job, s, with_experts, false, {});
  const LayerBytes kept = layer_bytes(job, s, with_experts, false, recomputed_of(s));
  return on_rank(job, s, all.whole - kept.whole, all.cut - kept.cut);
}

Bytes weight_gradient_inputs(const Job& job, const Strategy& s, bool with_experts) {
  const LayerBytes bytes = layer_bytes(job, s, with_experts, false, {});
  return on_rank(job, s, bytes.whole, bytes.cut);
}

Bytes logits(const Job& job, const Strategy& s) {
  const double wide = job.loss == LossKernel::te ? 0 : job.loss == LossKernel::native ? 8 : 4;
  const double bytes = wide + job.element_bytes();
  return whole_bytes(micro_batch_tokens(job, s) * job.model.vocabulary * bytes / s.tp);
}

Bytes context_buffers(const Job& job, const Strategy& s) {
  if (s.cp == 1) return Bytes();
  const Model& m = job.model;
  const double both = m.key_dim() + m.value_dim();
  const bool heads = s.context == ContextKind::ulysses;
  const double kv = static_cast<double>(m.kv_heads_over(heads ? s.tp * s.cp : s.tp)) * both;
  // Ring: two buffers (in use and arriving) of keys and values and of their gradients.
  const double numbers = s.context == ContextKind::ring         ? 4 * kv
                         : s.context == ContextKind::all_gather ? 2 * kv * s.cp
                                                                : kv + m.heads * both;
  return whole_bytes(micro_batch_tokens(job, s) * numbers * job.element_bytes() / s.tp);
}

double micro_batches_in_flight(int micro_batches, const Strategy& s, int stage) {
  if (s.pp == 1) return 1;
  const double m = micro_batches;
  const double p = s.pp;
  switch (s.schedule) {
    case PipelineSchedule::gpipe: return m;
    case PipelineSchedule::dualpipe: return std::min(m, p + 1);
    case PipelineSchedule::interleaved:
      // Megatron-LM's warm-up has 2(p - stage - 1) + (v - 1)p chunks; one more follows.
      if (s.interleave > 1) return std::min(m, p + (p - 2 * stage - 1) / s.interleave);
      break;
    case PipelineSchedule::one_f_one_b:
    case PipelineSchedule::zero_bubble: break;
  }
  return std::min(m, p - stage);
}

double awaiting_weight_gradients(int micro_batches, const Strategy& s, int stage) {
  if (s.schedule != PipelineSchedule::zero_bubble) return 0;
  return std::min<double>(stage, micro_batches - micro_batches_in_flight(micro_batches, s, stage));
}

}  // namespace railyard::placement
