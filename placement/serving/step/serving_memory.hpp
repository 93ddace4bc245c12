#pragma once

#include <optional>

#include "placement/model/model.hpp"
#include "placement/model/processor.hpp"
#include "placement/serving/step/deployment.hpp"

namespace railyard::placement::serving {

/// Memory of the fullest GPU of a replica, in bytes.
struct ServingMemory {
  double budget = 0;  ///< memory_share of the GPU's memory
  double weights = 0;
  double activations = 0;      ///< of a step with a full token budget, and its logits
  double kv_pool = 0;          ///< what is left for the KV cache; negative: weights do not fit
  double kv_token_bytes = 0;   ///< of a token in layers that attend to everything
  double kv_window_bytes = 0;  ///< of a sequence in layers with a sliding window, when full
  double host_bandwidth = 0;   ///< to the host's memory, bytes per second; 0: not known

  /// KV bytes of a sequence of `tokens`, in whole blocks.
  [[nodiscard]] double sequence_bytes(double tokens, int block_tokens) const;
  /// Sequences of `tokens` that the pool can hold.
  [[nodiscard]] double sequences(double tokens, int block_tokens) const;
};

/// weights = parameters cut over tp, pp and expert ranks in their formats, embedding and head in
/// bf16; kv_token_bytes = 2 · layers/pp · max(1, kv heads/tp) · dim · bytes, for latent attention
/// layers/pp · (kv_rank + rope_dim) · bytes, which tensor parallelism does not cut.
/// Llama 3 70B, bf16, tp 1: 2 · 80 · 8 · 128 · 2 = 327,680 B of KV per token.
[[nodiscard]] ServingMemory serving_memory(const Model& model, const Processor& gpu,
                                           const Deployment& deployment);

/// Values of a token in the KV cache that share a scale: a head's, or 128 of a latent vector.
[[nodiscard]] double kv_group(const Model& model);

/// The smallest tensor parallelism from that of `deployment` on, doubled, with which one sequence
/// of `tokens` fits; nothing where none up to `most` does.
[[nodiscard]] std::optional<int> smallest_tp(const Model& model, const Processor& gpu,
                                             Deployment deployment, double tokens, int most);

}  // namespace railyard::placement::serving
