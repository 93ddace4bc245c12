#pragma once

#include "placement/model/job.hpp"

namespace railyard::placement {

/// Floating-point operations (a multiply-add is two) of one forward pass over `tokens` tokens.
struct LayerFlops {
  double linear = 0;     ///< products with weights
  double attention = 0;  ///< scores and context
  /// Both of attention to an encoder's tokens; keys and values are made of as many of those as go
  /// with the tokens.
  double cross_linear = 0, cross_attention = 0;
  [[nodiscard]] double total() const { return linear + attention + cross_linear + cross_attention; }
};

/// Per layer: 2 per weight and token that it meets, and for scores and context
/// 2·s·a(d_key + d_value) per token, halved where the kernel skips the masked half (flash, causal).
/// Cross-attention has the encoder's tokens for s, and no mask.
[[nodiscard]] LayerFlops layer_flops(const Job& job, double tokens, bool with_experts);

/// Operations of the head: 2hV per token.
[[nodiscard]] double head_flops(const Model& model, double tokens);

/// Model operations of the encoder for one sequence, forward and backward: 3 x forward, of a frozen
/// one forward alone. Keys and values of its tokens are counted with the decoder's layers.
[[nodiscard]] double encoder_flops(const Job& job);

/// Model operations of towers and projectors for a sequence, forward and backward: 3 x forward, a
/// frozen tower's forward alone.
[[nodiscard]] double tower_flops(const Job& job);

/// Model FLOPs of one step with towers and encoder, forward and backward (3 x forward), without
/// recomputation: what MFU counts.
[[nodiscard]] double step_flops(const Job& job);

/// Operations with a full recomputation of the layers (and of an encoder's): one more forward pass
/// of them.
[[nodiscard]] double step_flops_recomputed(const Job& job);

/// Model FLOPs to train on job.tokens tokens.
[[nodiscard]] double training_flops(const Job& job);

}  // namespace railyard::placement
