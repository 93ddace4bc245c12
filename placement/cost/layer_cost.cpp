#include "placement/cost/layer_cost.hpp"

#include <algorithm>
#include <cmath>

#include "placement/cost/pass_builder.hpp"
#include "placement/model/encoder.hpp"
#include "placement/model/flops.hpp"

namespace railyard::placement {
namespace {

using collectives::Kind;

// Kernels per micro-batch in addition to those whose time is modelled, from Megatron-LM's sources
// of 2021: pretrain_gpt.py get_batch (two broadcasts, copies, slices) and
// get_ltor_masks_and_position_ids; mpu/cross_entropy.py, loss_func, averaging and scaling the loss.
constexpr int kBatchOperations = 13;
constexpr int kLossOperations = 26;
constexpr int kLossBackwardOperations = 6;
constexpr int kFusedLossOperations = 8;
// The same per layer of experts, approximately, from Megatron-Core's router.py, moe_utils.py and
// token_dispatcher.py of 2025: scores, top-k and its map, load-balancing loss, token counts and
// their exchange, sorting by expert and back.
constexpr int kRoutingOperations = 40;
constexpr int kRoutingBackwardOperations = 25;

double cut(const Strategy& s, double size) { return size / s.tp; }

/// Adds the tensor-parallel collectives of a part to both passes. `forward` and `backward`:
/// computation of the passes before the part.
void around(const PassBuilder& b, LayerCost& cost, TensorPart part, Time forward, Time backward) {
  part.beside = cost.forward.compute - forward;
  b.tensor_parallel(cost.forward, part);
  part.beside = cost.backward.compute - backward;
  part.backward = true;
  b.tensor_parallel(cost.backward, part);
}

/// Norm before a part, and bias, dropout and residual sum after it, for the rank's tokens.
/// Backward: the norm's gradient of its input (reads gradient and input, writes one) and of its
/// weight (reads both again), the dropout mask, the bias gradient's sum, and the sum with the
/// residual gradient.
void norm_and_sum(const PassBuilder& b, const Model& m, LayerCost& cost) {
  const double h = m.hidden, x = b.element, mask = m.dropout ? 1 : 0;
  b.stream(cost.forward, b.cut_tokens, 2 * x * h);
  b.stream(cost.forward, b.cut_tokens, (3 * x + mask) * h);
  b.stream(cost.backward, b.cut_tokens, 5 * x * h);
  const double behind = (m.dropout ? 2 * x + mask : 0) + (m.biases ? x : 0);
  if (behind > 0) b.stream(cost.backward, b.cut_tokens, behind * h);
  b.stream(cost.backward, b.cut_tokens, 3 * x * h);
}

/// Matrix units load rows of 16 bytes; products with other row lengths run without them (NVIDIA,
/// Matrix Multiplication Background User's Guide, section 4.2).
bool in_matrix_units(double row, double element) { return std::fmod(row * element, 16) == 0; }

/// Keys that the tokens of a layer attend to: their number per sequence, and the operations of all
/// heads.
struct Keys {
  double count = 0;
  double flops = 0;
  bool is_cross = false;  ///< an encoder's tokens: no rotary position
};

/// Unfused attention: scores, softmax, dropout and context, with scores in memory. The backward
/// pass has two products for each forward product, and both elementwise kernels.
void unfused_core(const PassBuilder& b, const TypeContext& c, const Strategy& s, const Keys& of,
                  LayerCost& cost, PassCost& core) {
  const Model& m = c.job.model;
  const double heads = cut(s, m.heads) * s.micro_batch,
               rows = static_cast<double>(c.job.sequence) / s.cp;
  const double keys = of.count, x = b.element, dk = m.key_dim(), dv = m.value_dim();
  const double scores = heads * rows * keys;
  const bool aligned = in_matrix_units(dk, x) && in_matrix_units(dv, x);
  const Product score{.m = rows, .n = keys, .k = dk, .batch = heads, .aligned = aligned};
  const Product context{.m = rows, .n = dv, .k = keys, .batch = heads, .aligned = aligned};
  b.product(core, score);
  // Relative position biases are added to the scores; backward, their gradients are summed over a
  // batch.
  const bool biased = m.relative_buckets > 0 && !of.is_cross;
  if (biased) b.scores(core, scores, 2 * x);
  b.scores(core, scores, 2 * x);
  if (m.dropout) b.scores(core, scores, 2 * x + 1);
  b.product(core, context);
  if (biased) b.scores(cost.backward, scores, x);
  b.product(cost.backward, context);
  b.product(cost.backward, {.m = keys, .n = dv, .k = rows, .batch = heads, .aligned = aligned});
  b.product(cost.backward, score);
  b.product(cost.backward, {.m = keys, .n = dk, .k = rows, .batch = heads, .aligned = aligned});
  b.scores(cost.backward, scores, 3 * x);
  if (m.dropout) b.scores(cost.backward, scores, 2 * x + 1);
  // The context of all heads is transposed to one row per token; backward, so are its gradient and
  // the gradients of queries, keys and values. The sums of the latter are the gradients of the
  // biases.
  const double a = cut(s, m.heads);
  const double qkv =
      cut(s, m.heads * dk + m.kv_heads_over(s.tp) * (dk + dv) * (keys / c.job.sequence));
  b.stream(core, b.tokens, 2 * x * a * dv);
  b.stream(cost.backward, b.tokens, 2 * x * a * dv);
  b.stream(cost.backward, b.tokens, (m.biases ? 3 : 2) * x * qkv);
}

/// Flash attention over the rank's heads and tokens. Ring attention has a kernel for the keys of
/// each rank; they run on two streams (TransformerEngine's context_parallel.py) and count as one
/// kernel.
AttentionWork flash_work(const PassBuilder& b, const TypeContext& c, const Strategy& s,
                         const Keys& of) {
  return {.flops = of.flops / s.tp,
          .rows = cut(s, c.job.model.heads) * b.tokens,
          .keys = of.count,
          .causal = c.job.model.causal && !of.is_cross};
}

/// The attention core: what selective recomputation repeats.
void attention_core(const PassBuilder& b, const TypeContext& c, const Strategy& s, const Keys& of,
                    LayerCost& cost, PassCost& core) {
  const Model& m = c.job.model;
  if (c.job.attention == AttentionKernel::unfused) {
    unfused_core(b, c, s, of, cost, core);
  } else {
    AttentionWork work = flash_work(b, c, s, of);
    b.attention(core, work, false);
    // Backward has five products, forward two, because scores are recomputed (Dao, arXiv
    // 2307.08691).
    work.flops *= 2.5;
    b.attention(cost.backward, work, true);
    if (m.biases)
      b.stream(cost.backward, b.tokens,
               b.element * cut(s, (m.heads + 2 * m.kv_heads_over(s.tp)) * m.dim()));
  }
  if (m.positions == 0 && m.relative_buckets == 0 && !of.is_cross) {
    const double bytes = 2 * b.element * cut(s, (m.heads + m.kv_heads_over(s.tp)) * m.key_dim());
    b.stream(cost.forward, b.tokens, bytes);
    b.stream(cost.backward, b.tokens, bytes);
  }
}

/// Copies and sums of context parallelism on the GPU, in addition to its messages: bytes of memory
/// traffic by TransformerEngine's context_parallel.py with a causal mask. q: bytes of a rank's
/// queries or outputs; kv: of its keys and values; c: cp.
///   ring        forward: pack keys and values, scale the first output, 2(kv + q). For the keys
///               of each of the c - 1 other ranks: slice half of the queries or keys,
///               (q + kv)/2, and add the output or half of it, 3q·3/4.
///               backward: store gradients once, 2(kv + q). Per other rank: slice queries,
///               outputs and their gradients, or keys, (3q + kv)/2; add gradients of queries and
///               keys, (3q + 3kv)·3/4.
///   all_gather  forward: reorder what was gathered, 2c·kv. backward: again, and gradients are
///               zeroed, added for both chunks of queries, and reordered by rank,
///               (2 + 1 + 3 + 2)c·kv.
///   Ulysses     for queries, keys and values, and outputs: transpose heads before the
///               all_to_all, transpose after it, and reorder chunks, 2 + 2 + 2 of each.
void context_copies(const PassBuilder& b, const Strategy& s, double q, double kv, LayerCost& cost) {
  const double c = s.cp, others = c - 1;
  double forward = 0, backward = 0;
  switch (s.context) {
    case ContextKind::ring:
      forward = 2 * (kv + q) + others * ((q + kv) / 2 + 2.25 * q);
      backward = 2 * (kv + q) + others * ((3 * q + kv) / 2 + 2.25 * (q + kv));
      break;
    case ContextKind::all_gather:
      forward = 2 * c * kv;
      backward = 8 * c * kv;
      break;
    case ContextKind::ulysses: forward = backward = 6 * (2 * q + kv); break;
  }
  b.stream(cost.forward, 1, forward);
  b.stream(cost.backward, 1, backward);
}

/// Exposed exchange of keys and values (Ulysses: of heads) in a context group. They are sent for
/// every head; MLA computes them from its compressed vectors first.
void context_parallel(const PassBuilder& b, const TypeContext& c, const Strategy& s,
                      const GroupShapes& shapes, Time core, LayerCost& cost) {
  if (s.cp == 1) return;
  const Model& m = c.job.model;
  const bool heads = s.context == ContextKind::ulysses;
  const int over = heads ? s.tp * s.cp : s.tp;
  const double kv =
      b.tokens * cut(s, m.kv_heads_over(over)) * (m.key_dim() + m.value_dim()) * b.element;
  const double q = b.tokens * cut(s, m.heads) * (m.key_dim() + m.value_dim()) * b.element;
  const auto ask = [&](Kind kind, double bytes) {
    return b.collective({kind, GroupRole::context, shapes.cp, bytes});
  };
  context_copies(b, s, q / 2, kv, cost);
  if (s.context == ContextKind::ring) {
    const Time hop = ask(Kind::send_recv, kv), part = Time::from_seconds(core.seconds() / s.cp);
    cost.forward.cp += std::max(Time(), hop - part) * (s.cp - 1);
    cost.backward.cp += std::max(Time(), hop * 2 - part * 2) * (s.cp - 1);
  } else if (s.context == ContextKind::all_gather) {
    const Time gather = ask(Kind::all_gather, kv * s.cp);
    cost.forward.cp += gather;
    cost.backward.cp += gather + ask(Kind::reduce_scatter, kv * s.cp);
  } else {
    cost.forward.cp += ask(Kind::all_to_all, q + kv);
    cost.backward.cp += ask(Kind::all_to_all, q + kv);
  }
}

/// MLA: queries, keys and values from compressed vectors. The down-projections are on every rank
/// (Megatron-LM, multi_latent_attention.py: "duplicated"), with sequence parallelism for the rank's
/// tokens. Returns the values per token that enter the tensor-parallel products.
double latent_products(const PassBuilder& b, const Model& m, const MlaSpec& mla, const Strategy& s,
                       LayerCost& cost) {
  const double h = m.hidden, queries = m.heads * m.key_dim();
  const double query_in = mla.query_rank > 0 ? mla.query_rank : h;
  constexpr auto kPart = LayerPart::attention;
  if (mla.query_rank > 0) b.weights(cost, kPart, b.cut_tokens, mla.query_rank, h);
  b.weights(cost, kPart, b.tokens, cut(s, queries), query_in);
  b.weights(cost, kPart, b.cut_tokens, mla.kv_rank + mla.rope_dim, h);
  b.weights(cost, kPart, b.tokens, cut(s, m.heads * (mla.nope_dim + mla.value_dim)), mla.kv_rank);
  return query_in + mla.kv_rank + mla.rope_dim;
}

void attention_part(const PassBuilder& b, const TypeContext& c, const Strategy& s,
                    const GroupShapes& shapes, LayerCost& cost, PassCost& core) {
  const Model& m = c.job.model;
  const double h = m.hidden;
  norm_and_sum(b, m, cost);
  const PassCost before_forward = cost.forward, before_backward = cost.backward;
  TensorPart part{.tokens = b.tokens};
  if (m.mla)
    part.channels = latent_products(b, m, *m.mla, s, cost);
  else
    b.weights(cost, LayerPart::attention, b.tokens,
              cut(s, (m.heads + 2 * m.kv_heads_over(s.tp)) * m.dim()), h);
  const Time core_before = core.compute;
  const Keys keys{.count = static_cast<double>(c.job.sequence),
                  .flops = layer_flops(c.job, b.tokens, false).attention};
  attention_core(b, c, s, keys, cost, core);
  context_parallel(b, c, s, shapes, core.compute - core_before, cost);
  b.weights(cost, LayerPart::attention, b.tokens, h, cut(s, m.heads * m.value_dim()));
  around(b, cost, part, before_forward.compute, before_backward.compute);
}

/// Cross-attention: queries of the layer's tokens; keys and values of the encoder's tokens, which
/// are whole sequences of their own length.
void cross_part(const PassBuilder& b, const TypeContext& c, const Strategy& s, LayerCost& cost,
                PassCost& core) {
  const Model& m = c.job.model;
  if (!m.encoder) return;
  const Model encoder = encoder_model(m);
  const double h = m.hidden, theirs = static_cast<double>(s.micro_batch) * encoder.sequence;
  norm_and_sum(b, m, cost);
  const PassCost before_forward = cost.forward, before_backward = cost.backward;
  b.weights(cost, LayerPart::attention, b.tokens, cut(s, m.heads * m.dim()), h);
  b.weights(cost, LayerPart::attention, theirs, cut(s, 2.0 * m.kv() * m.dim()), encoder.hidden);
  const Keys keys{.count = static_cast<double>(encoder.sequence),
                  .flops = layer_flops(c.job, b.tokens, false).cross_attention,
                  .is_cross = true};
  attention_core(b, c, s, keys, cost, core);
  b.weights(cost, LayerPart::attention, b.tokens, h, cut(s, m.heads * m.dim()));
  around(b, cost, {.tokens = b.tokens}, before_forward.compute, before_backward.compute);
  b.encoder_tokens(cost, theirs, encoder.hidden);
}

/// `batch` MLPs (1, or the experts) of inner size `ffn` over `tokens` tokens each.
void mlp(const PassBuilder& b, const Model& m, LayerPart part, double tokens, double ffn,
         double batch, LayerCost& cost) {
  const double x = b.element;
  const bool gated = is_gated(m.mlp);
  b.weights(cost, part, tokens, gated ? 2 * ffn : ffn, m.hidden, batch);
  b.stream(cost.forward, tokens * batch, (gated ? 3 : 2) * x * ffn);
  // Reads gradient and inputs, writes gradients; the bias gradient is a sum over them.
  const double bias = m.biases ? (gated ? 2 : 1) * x : 0;
  b.stream(cost.backward, tokens * batch, ((gated ? 5 : 3) * x + bias) * ffn);
  b.weights(cost, part, tokens, m.hidden, ffn, batch);
}

void dense_part(const PassBuilder& b, const TypeContext& c, const Strategy& s, LayerCost& cost) {
  norm_and_sum(b, c.job.model, cost);
  const Time forward = cost.forward.compute, backward = cost.backward.compute;
  mlp(b, c.job.model, LayerPart::mlp, b.tokens, cut(s, c.job.model.ffn), 1, cost);
  around(b, cost, {.tokens = b.tokens}, forward, backward);
}

/// All-to-all of tokens to their experts and back, forward and backward. With node_limit a token is
/// sent once to each node, even if several of its experts are there. With fp8, tokens (backward:
/// their gradients) are dispatched in 8 bits and combined in 16 (arXiv 2412.19437, section 3.3.3).
void exchange(const PassBuilder& b, const TypeContext& c, const Strategy& s,
              const GroupShapes& shapes, LayerCost& cost) {
  if (s.ep == 1) return;
  const MoeSpec& moe = *c.job.model.moe;
  const bool limited = moe.node_limit > 0 && shapes.ep.nodes() > 1;
  const auto most = std::min<std::uint32_t>(shapes.ep.nodes(), moe.node_limit);
  const double copies = limited ? std::min<double>(moe.slots(), most) : moe.slots();
  const double bytes = b.cut_tokens * copies * c.job.model.hidden;
  // Only DeepSeek's fp8 recipe dispatches in 8 bits; mxfp8 and nvfp4 cast after the dispatch.
  const bool fp8 = c.job.precision_of(LayerPart::experts) == Precision::fp8;
  const auto ask = [&](double element) {
    return b.collective({Kind::all_to_all, GroupRole::expert, shapes.ep, bytes * element});
  };
  const Time dispatch = ask(fp8 ? 1 : b.element), combine = ask(b.element);
  const Time both = dispatch + combine;
  // With ep_overlap the exchange overlaps with the computation of another micro-batch (DualPipe).
  // It occupies a share of the multiprocessors meanwhile (DeepSeek-V3: 20 of 132).
  const double share = c.gpu.compute().communication_share;
  const auto exposed = [&](Time all, Time beside) {
    const Time hidden = s.ep_overlap ? std::min(all, beside) : Time();
    return all - hidden + Time::from_seconds(share * hidden.seconds());
  };
  cost.forward.ep += exposed(both, cost.forward.compute);
  cost.backward.ep += exposed(both, cost.backward.compute);
}

void expert_part(const PassBuilder& b, const TypeContext& c, const Strategy& s,
                 const GroupShapes& shapes, LayerCost& cost) {
  const Model& m = c.job.model;
  const MoeSpec& moe = *m.moe;
  norm_and_sum(b, m, cost);
  b.wide_weights(cost, b.cut_tokens, moe.experts, m.hidden);
  cost.forward.kernels += kRoutingOperations;
  cost.backward.kernels += kRoutingBackwardOperations;
  // Permute tokens to experts and back: top_k copies are read and written, twice, forward and
  // backward. With expert parallelism a rank also sorts the received pieces by its experts and back
  // (Megatron-Core's token_dispatcher.py: permute, sort_chunks_by_idxs, twice; unpermute).
  const bool sorts = s.ep > 1 && static_cast<int>(moe.experts) > s.ep;
  const double moved = (sorts ? 8 : 4) * b.element * moe.slots() * m.hidden;
  b.stream(cost.forward, b.cut_tokens, moved);
  b.stream(cost.backward, b.cut_tokens, moved);
  const double local = static_cast<double>(moe.experts) / s.ep;
  const double routed = b.tokens * moe.slots() * s.etp / s.tp / local;
  mlp(b, m, LayerPart::experts, routed, static_cast<double>(moe.ffn) / s.etp, local, cost);
  if (moe.shared_ffn > 0) {
    const Time forward = cost.forward.compute, backward = cost.backward.compute;
    mlp(b, m, LayerPart::mlp, b.tokens, cut(s, moe.shared_ffn), 1, cost);
    around(b, cost, {.tokens = b.tokens}, forward, backward);
  }
  if (s.etp > 1) {
    const double gathered = b.cut_tokens * moe.slots() * s.etp;
    around(b, cost, {.tokens = gathered, .kept = true}, cost.forward.compute,
           cost.backward.compute);
  }
  exchange(b, c, s, shapes, cost);
}

/// Forward work of a layer after the last tensor that its backward pass needs: the second MLP
/// product, its collective and the residual sum.
PassCost work_after_last_kept(const PassBuilder& b, const TypeContext& c, const Strategy& s) {
  const Model& m = c.job.model;
  PassCost last;
  b.product(last, LayerPart::mlp,
            {.m = b.tokens, .n = static_cast<double>(m.hidden), .k = cut(s, m.ffn)});
  b.tensor_parallel(last, {.tokens = b.tokens, .beside = last.compute, .enters = false});
  b.stream(last, b.cut_tokens, (3 * b.element + (m.dropout ? 1 : 0)) * m.hidden);
  return last;
}

/// Work that recompute_norms, recompute_act and recompute_mla repeat: forward kernels of norms and
/// activation functions, and MLA's up-projections with rotary positions. With sequence parallelism
/// the compressed vectors are gathered again.
PassCost recomputed_operations(const PassBuilder& b, const TypeContext& c, const Strategy& s,
                               bool with_experts) {
  const Model& m = c.job.model;
  const double x = b.element;
  PassCost again;
  if (s.recompute_norms)
    for (int norm = 0; norm < (m.encoder ? 3 : 2); ++norm)
      b.stream(again, b.cut_tokens, 2 * x * m.hidden);
  if (s.recompute_act) {
    const auto act = [&](double tokens, double ffn) {
      b.stream(again, tokens, (is_gated(m.mlp) ? 3 : 2) * x * ffn);
    };
    if (with_experts && m.moe) {
      act(b.tokens * m.moe->slots() / s.tp, m.moe->ffn);
      if (m.moe->shared_ffn > 0) act(b.tokens, cut(s, m.moe->shared_ffn));
    } else {
      act(b.tokens, cut(s, m.ffn));
    }
  }
  if (s.recompute_mla && m.mla) {
    const MlaSpec& mla = *m.mla;
    const double query_in = mla.query_rank > 0 ? mla.query_rank : m.hidden;
    b.product(again, {.m = b.tokens, .n = cut(s, m.heads * m.key_dim()), .k = query_in});
    b.product(again, {.m = b.tokens,
                      .n = cut(s, m.heads * (mla.nope_dim + mla.value_dim)),
                      .k = static_cast<double>(mla.kv_rank)});
    b.stream(again, b.tokens, 2 * x * cut(s, (m.heads + m.kv_heads_over(s.tp)) * m.key_dim()));
    b.tensor_parallel(again, {.tokens = b.tokens,
                              .channels = query_in + mla.kv_rank + mla.rope_dim,
                              .beside = again.compute,
                              .leaves = false});
  }
  return again;
}

/// Megatron-Core's compiled loss in fp32 (fused_cross_entropy.py and tensor_parallel/
/// cross_entropy.py). If a compiled kernel modifies the logits and also sums over them or writes
/// single ones, Inductor creates a new tensor and copies it back (note on in-place semantics in
/// fused_cross_entropy.py). Bytes per logit of x bytes:
///   forward   cast and maximum x + 4; exponentials and their sum 8, and the copy 8; division by
///             the sum 8
///   backward  a copy with 1 subtracted at the target 8; multiplication by the gradient in place in
///             fp32 8, written in 16 bits x
void native_loss(const PassBuilder& b, double vocabulary, LayerCost& cost) {
  b.stream(cost.forward, b.tokens, (b.element + 4) * vocabulary);
  b.stream(cost.forward, b.tokens, 8 * vocabulary);
  b.stream(cost.forward, b.tokens, 8 * vocabulary);
  b.stream(cost.forward, b.tokens, 8 * vocabulary);
  b.stream(cost.backward, b.tokens, 8 * vocabulary);
  b.stream(cost.backward, b.tokens, (8 + b.element) * vocabulary);
}

}  // namespace

LayerCost layer_cost(const TypeContext& context, const Strategy& strategy,
                     const GroupShapes& shapes, bool with_experts, bool edge) {
  const PassBuilder builder(context, strategy, shapes, edge);
  LayerCost cost;
  PassCost core;
  attention_part(builder, context, strategy, shapes, cost, core);
  cross_part(builder, context, strategy, cost, core);
  cost.forward += core;
  if (with_experts && context.job.model.moe)
    expert_part(builder, context, strategy, shapes, cost);
  else
    dense_part(builder, context, strategy, cost);
  if (strategy.recompute == Recompute::full) {
    cost.recompute = cost.forward;
    if (strategy.early_stop && !with_experts)
      cost.recompute -= work_after_last_kept(builder, context, strategy);
  }
  if (strategy.recompute == Recompute::selective &&
      context.job.attention == AttentionKernel::unfused)
    cost.recompute = core;
  if (strategy.recomputes_operations())
    cost.recompute += recomputed_operations(builder, context, strategy, with_experts);
  return cost;
}

LayerCost embedding_cost(const TypeContext& context, const Strategy& strategy,
                         const GroupShapes& shapes) {
  const PassBuilder b(context, strategy, shapes);
  const Model& m = context.job.model;
  LayerCost cost;
  cost.forward.kernels += kBatchOperations;
  const double lookups = (m.positions > 0 ? 4 : 2) * b.element * m.hidden;
  b.stream(cost.forward, b.tokens, lookups);
  b.stream(cost.backward, b.tokens, 2 * b.element * m.hidden);
  // The table's gradient has the size of the table: it is zeroed, written, and added to the sum.
  const double table = static_cast<double>(m.vocabulary) / strategy.tp * m.hidden;
  b.stream(cost.backward, table, 2 * b.element + 2.0 * context.job.gradient_bytes());
  if (m.dropout) {
    b.stream(cost.forward, b.cut_tokens, (2 * b.element + 1) * m.hidden);
    b.stream(cost.backward, b.cut_tokens, (2 * b.element + 1) * m.hidden);
  }
  around(b, cost, {.tokens = b.tokens, .enters = false}, cost.forward.compute,
         cost.backward.compute);
  return cost;
}

LayerCost head_cost(const TypeContext& context, const Strategy& strategy,
                    const GroupShapes& shapes) {
  const PassBuilder b(context, strategy, shapes);
  const Model& m = context.job.model;
  const double vocabulary = static_cast<double>(m.vocabulary) / strategy.tp;
  LayerCost cost;
  cost.forward.kernels += kLossOperations;
  cost.backward.kernels += kLossBackwardOperations;
  b.stream(cost.forward, b.cut_tokens, 2 * b.element * m.hidden);
  b.stream(cost.backward, b.cut_tokens, 3 * b.element * m.hidden);
  const Time forward = cost.forward.compute, backward = cost.backward.compute;
  b.wide_weights(cost, b.tokens, vocabulary, m.hidden);
  around(b, cost, {.tokens = b.tokens, .leaves = false}, forward, backward);
  if (context.job.loss == LossKernel::te) {
    // One pass for maximum and sum; a second one writes softmax minus one-hot over the logits
    // (TransformerEngine's cross_entropy.py: online_softmax_kernel and cross_entropy_kernel, both
    // forward).
    cost.forward.kernels -= kLossOperations - kFusedLossOperations;
    b.stream(cost.forward, b.tokens, b.element * vocabulary);
    b.stream(cost.forward, b.tokens, 2 * b.element * vocabulary);
    return cost;
  }
  if (context.job.loss == LossKernel::native) {
    native_loss(b, vocabulary, cost);
    return cost;
  }
  // fp32 loss. Forward: cast; maximum; exponentials and their sum. Backward: softmax minus one-hot;
  // cast.
  b.stream(cost.forward, b.tokens, (b.element + 4) * vocabulary);
  b.stream(cost.forward, b.tokens, 4 * vocabulary);
  b.stream(cost.forward, b.tokens, 8 * vocabulary);
  b.stream(cost.backward, b.tokens, 8 * vocabulary);
  b.stream(cost.backward, b.tokens, (b.element + 4) * vocabulary);
  return cost;
}

}  // namespace railyard::placement
