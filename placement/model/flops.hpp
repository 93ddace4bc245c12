#pragma once

#include "placement/model/job.hpp"

namespace railyard::placement {

/// Floating-point operations of one layer's forward pass; a multiply-add counts as two.
struct LayerFlops {
  double linear = 0;     ///< products with weights
  double attention = 0;  ///< Q·K^T and P·V
  /// The same two parts of cross-attention (encoder-decoder models). Keys and values are computed
  /// from encoder_tokens · tokens / sequence tokens of the encoder.
  double cross_linear = 0, cross_attention = 0;
  [[nodiscard]] double total() const { return linear + attention + cross_linear + cross_attention; }
};

/// Operations of one layer over `tokens` tokens. Products with weights: 2 per token and weight that
/// it uses. Attention: 2·s·a·(d_key + d_value) per token, with s the sequence length and a the
/// heads; half of it with a causal mask if the kernel skips masked tiles (flash). For
/// cross-attention s is the encoder's length, without a mask.
[[nodiscard]] LayerFlops layer_flops(const Job& job, double tokens, bool with_experts);

/// Operations of the output head, forward: 2·h·V per token.
[[nodiscard]] double head_flops(const Model& model, double tokens);

/// Operations of the encoder for one sequence, forward and backward: 3 x forward, or 1 x forward if
/// the encoder is frozen. Cross-attention's keys and values are counted in the decoder's layers.
[[nodiscard]] double encoder_flops(const Job& job);

/// Operations of towers and projectors for one sequence, forward and backward: 3 x forward, or 1 x
/// forward for a frozen tower.
[[nodiscard]] double tower_flops(const Job& job);

/// Model FLOPs of one step, towers and encoder included: 3 x forward, without recomputation. MFU
/// counts these.
[[nodiscard]] double step_flops(const Job& job);

/// step_flops plus one more forward pass of all layers and of a trained encoder: the operations of
/// a step with full recomputation.
[[nodiscard]] double step_flops_recomputed(const Job& job);

/// Model FLOPs to train on job.tokens tokens.
[[nodiscard]] double training_flops(const Job& job);

}  // namespace railyard::placement
