#pragma once

#include <optional>

#include "placement/model/model.hpp"
#include "placement/model/processor.hpp"
#include "placement/serving/step/deployment.hpp"

namespace railyard::placement::serving {

/// Memory of the fullest GPU of a replica, in bytes.
struct ServingMemory {
  double budget = 0;  ///< memory_share · memory of the GPU
  double weights = 0;
  double activations = 0;     ///< of a step with a full token budget, logits included
  double kv_pool = 0;         ///< memory left for the KV cache; negative: weights do not fit
  double kv_token_bytes = 0;  ///< per token, in layers with attention to all tokens
  /// Per sequence, in layers with a sliding window, when the window is full.
  double kv_window_bytes = 0;
  double host_bandwidth = 0;  ///< between GPU and host memory, bytes per second; 0: unknown

  /// KV bytes of a sequence of `tokens` tokens, in whole blocks.
  [[nodiscard]] double sequence_bytes(double tokens, int block_tokens) const;
  /// Number of sequences of `tokens` tokens that the pool can hold.
  [[nodiscard]] double sequences(double tokens, int block_tokens) const;
};

/// Memory of a replica of a model:
///
///   weights        = parameters cut over tp, pp and expert ranks, in their formats; embedding and
///                    head in bf16
///   kv_token_bytes = 2 · layers/pp · max(1, kv heads/tp) · dim · bytes
///   kv_token_bytes = layers/pp · (kv_rank + rope_dim) · bytes    latent attention, not cut by tp
///
/// Example: Llama 3 70B, bf16, tp 1 has 2 · 80 · 8 · 128 · 2 = 327,680 B of KV per token.
[[nodiscard]] ServingMemory serving_memory(const Model& model, const Processor& gpu,
                                           const Deployment& deployment);

/// Number of values of a token in the KV cache that share a scale: a head, or 128 of a latent
/// vector.
[[nodiscard]] double kv_group(const Model& model);

/// The smallest tp of deployment.tp, 2 deployment.tp, 4 deployment.tp, ..., `most` with which one
/// sequence of `tokens` tokens fits; empty if none does.
[[nodiscard]] std::optional<int> smallest_tp(const Model& model, const Processor& gpu,
                                             Deployment deployment, double tokens, int most);

}  // namespace railyard::placement::serving
