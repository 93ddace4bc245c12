#pragma once

#include "core/units.hpp"
#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Bytes that one layer keeps of one micro-batch for its backward pass, on one rank, by the
/// formulas of Korthikanti et al. (arXiv 2205.05198, section 4), written per tensor so that they
/// hold for other shapes. Per token, 16-bit values:
///   whole on each rank (cut by tp with sequence parallelism): inputs of the two norms and of what
///     follows them 8h, dropout masks 2h                                     (10h with dropout);
///     of MLA the compressed vectors, before and behind their norms
///   cut by tp: queries, context 2·a·(dk+dv), keys, values 2·g·(dk+dv); MLP 4f (gelu), 6f (swiglu)
///   attention scores of unfused kernels 5as (2as without dropout), of flash its row sums 4a
/// GPT with f = 4h and a·d = h: 10h + 24h/t + 5as/t. Context parallelism cuts the sequence.
/// Cross-attention: 4h and a mask more whole, and queries, context, the encoder's keys and values
/// and its scores more that tp cuts.
/// Keys and values are those of max(g, t) heads. Experts: k tokens for each token (or their slots),
/// 2h in and (4 or 6)f of an expert, cut by tp.
/// `recompute` none, selective (without the scores) or full (the layer's input, 2h). Without what
/// the strategy computes again by operation (recomputed_outputs), unless `recompute` is full.
/// `edge`: of a layer at the edges of the network, whose products may have another precision.
[[nodiscard]] Bytes layer_activations(const Job& job, const Strategy& strategy, Recompute recompute,
                                      bool with_experts, bool edge = false);

/// Bytes of a layer's outputs that recompute_norms, recompute_act and recompute_mla make again in
/// the backward pass instead of keeping them. Per token, 16-bit values:
///   norms  their outputs 4h, of MLA also 2(rq + rkv)
///   act    the second input of the MLP 2f, of an expert for each of its tokens
///   mla    queries, keys and values 2·a·dk + 2·g·(dk+dv); the context stays
/// With fp8 those that only products read are half as large.
[[nodiscard]] Bytes recomputed_outputs(const Job& job, const Strategy& strategy, bool with_experts);

/// Of them what zero-bubble schedules keep after the backward pass for the gradients of weights:
/// inputs of the products and gradients of their outputs, which are as large as what is in
/// layer_activations but for masks and scores (32sbh of 34sbh; arXiv 2401.10241, table 1), with
/// what was computed again.
[[nodiscard]] Bytes weight_gradient_inputs(const Job& job, const Strategy& strategy,
                                           bool with_experts);

/// Keys and values of other context ranks that one layer holds for a while, with their gradients:
/// of the neighbour, twice each (ring), of all (all_gather), of all for the rank's heads (Ulysses).
[[nodiscard]] Bytes context_buffers(const Job& job, const Strategy& strategy);

/// Bytes of the last stage for the loss of one micro-batch: logits in 32 and 16 bit, bs·V·(4+2)/t;
/// natively fused, also the exponentials in 32 bit; TransformerEngine's, those of 16 bit alone.
[[nodiscard]] Bytes logits(const Job& job, const Strategy& strategy);

/// Tokens of a micro-batch on one rank: micro_batch x sequence / cp.
[[nodiscard]] double micro_batch_tokens(const Job& job, const Strategy& strategy);

/// Micro-batches (of the whole stage) whose activations stage `stage` holds at once, of m in a
/// step.
///   gpipe m; 1f1b and zero_bubble min(m, p - stage); interleaved p + (p - 2 stage - 1)/v, at the
///   most m; dualpipe p + 1 on every stage.
[[nodiscard]] double micro_batches_in_flight(int micro_batches, const Strategy& strategy,
                                             int stage);

/// Micro-batches whose backward pass is done but for the gradients of weights: `stage` of ZB-H1
/// (arXiv 2401.10241, section 2.1), none of other schedules.
[[nodiscard]] double awaiting_weight_gradients(int micro_batches, const Strategy& strategy,
                                               int stage);

}  // namespace railyard::placement
