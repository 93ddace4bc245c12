#pragma once

#include "core/units.hpp"
#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Bytes that one layer keeps on one rank for the backward pass of one micro-batch. Formulas of
/// Korthikanti et al. (arXiv 2205.05198, section 4), written per tensor so that they hold for other
/// shapes. Per token, with 16-bit values (h hidden, f inner size, a heads, g = max(key and value
/// heads, t), dk and dv sizes of a key and a value, s sequence length, t = tp):
///   on every rank, or divided by t with sequence parallelism
///     inputs of the two norms and of the products behind them 8h; dropout masks 2h
///     MLA: compressed vectors before and after their norms
///   divided by t
///     queries and context 2·a·(dk+dv); keys and values 2·g·(dk+dv)
///     MLP 4f (gelu), 6f (swiglu)
///     attention scores of unfused kernels 5as (2as without dropout); flash: row sums 4a
///     experts, in place of the MLP: slots() · (2h + 4f or 6f of one expert)
///   cross-attention: 4h and a mask of h like the first group; queries, context, the encoder's keys
///     and values and its scores like the second
/// Example: GPT with f = 4h, a·d = h and dropout keeps 10h + 24h/t + 5as/t. Context parallelism
/// divides the tokens. `recompute`: none; selective omits the scores; full keeps only the layer's
/// input, 2h. Without full, recomputed_outputs are omitted too. `edge`: for an edge layer
/// (LayerRange::edge), whose products may have another precision.
[[nodiscard]] Bytes layer_activations(const Job& job, const Strategy& strategy, Recompute recompute,
                                      bool with_experts, bool edge = false);

/// Bytes per layer and micro-batch that recompute_norms, recompute_act and recompute_mla save:
/// their outputs are recomputed in the backward pass. Per token, 16-bit values:
///   norms  outputs of the norms 4h; MLA also 2(rq + rkv)
///   act    input of the second MLP matrix 2f; of an expert per slot
///   mla    queries, keys and values 2·a·dk + 2·g·(dk+dv); the context is kept
/// With fp8, tensors that only products read have half the size.
[[nodiscard]] Bytes recomputed_outputs(const Job& job, const Strategy& strategy, bool with_experts);

/// Bytes per layer and micro-batch that zero-bubble schedules keep between the backward pass and
/// the pass of the weight gradients: inputs of the products and gradients of their outputs. They
/// are as large as layer_activations without masks and scores, recomputed outputs included (32sbh
/// of 34sbh; arXiv 2401.10241, table 1).
[[nodiscard]] Bytes weight_gradient_inputs(const Job& job, const Strategy& strategy,
                                           bool with_experts);

/// Bytes of keys, values and their gradients from other context-parallel ranks that one layer holds
/// temporarily. ring: one neighbour's, twice (in use and arriving). all_gather: those of all ranks.
/// Ulysses: keys, values, queries and outputs of all tokens for the rank's heads. 0 for cp = 1.
[[nodiscard]] Bytes context_buffers(const Job& job, const Strategy& strategy);

/// Bytes on the last stage for the loss of one micro-batch. unfused: fp32 and 16-bit logits,
/// b·s·V·(4+2)/t; native also keeps fp32 exponentials; te has only 16-bit logits.
[[nodiscard]] Bytes logits(const Job& job, const Strategy& strategy);

/// Tokens of a micro-batch on one rank: micro_batch x sequence / cp.
[[nodiscard]] double micro_batch_tokens(const Job& job, const Strategy& strategy);

/// Micro-batches whose activations (of all chunks) stage `stage` keeps at the same time, if a step
/// has m: gpipe m; 1f1b and zero_bubble p - stage; interleaved p + (p - 2·stage - 1)/v; dualpipe p
/// + 1 on every stage; each at most m.
[[nodiscard]] double micro_batches_in_flight(int micro_batches, const Strategy& strategy,
                                             int stage);

/// Micro-batches whose weight gradients are still to be computed after their backward pass: `stage`
/// with ZB-H1 (arXiv 2401.10241, section 2.1), 0 with other schedules.
[[nodiscard]] double awaiting_weight_gradients(int micro_batches, const Strategy& strategy,
                                               int stage);

}  // namespace railyard::placement
