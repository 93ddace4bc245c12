#pragma once

#include <cstdint>

#include "placement/model/model.hpp"

namespace railyard::placement {

/// Parameters of one layer, grouped by how they are sharded. Tensor parallelism divides attention,
/// cross, mlp and experts. Expert parallelism divides experts too. `latent` and `replicated` (norms
/// and router) are on every rank.
struct LayerParameters {
  std::int64_t attention = 0;
  std::int64_t cross = 0;    ///< attention to an encoder's tokens
  std::int64_t latent = 0;   ///< MLA's products that compute compressed queries, keys and values
  std::int64_t mlp = 0;      ///< dense MLP, or the shared experts
  std::int64_t experts = 0;  ///< all routed experts
  std::int64_t replicated = 0;
  [[nodiscard]] std::int64_t total() const {
    return attention + cross + latent + mlp + experts + replicated;
  }
};

/// Parameters of one layer of the model, dense or with experts:
///   attention h(a·d + 2g·d) + a·d·h;  MLA h·rq + rq·a(dn+dr) + h(rkv+dr) + rkv·a(dn+dv) + a·dv·h
///   cross h·a·d + u·2g·d + a·d·h with u the encoder's hidden size
///   mlp 2hf (gelu, relu), 3hf (swiglu, geglu);  router hE
/// plus one per output with biases, and the norms (Megatron-LM's theoretical_memory_usage.py).
[[nodiscard]] LayerParameters layer_parameters(const Model& model, bool with_experts);

/// Parameters of the encoder: stem, positions, relative position biases, layers and final norm; 0
/// without an encoder. A shared embedding is counted with the decoder.
[[nodiscard]] std::int64_t encoder_parameters(const Model& model);
/// Parameters of the table of relative position biases, buckets x heads, which all layers of a
/// stack share (Raffel et al., arXiv 1910.10683, section 2.1).
[[nodiscard]] std::int64_t relative_parameters(const Model& model);

/// Parameters of towers and projectors.
struct TowerParameters {
  std::int64_t frozen = 0;     ///< towers that are not trained
  std::int64_t trained = 0;    ///< towers that are trained
  std::int64_t projector = 0;  ///< always trained
  [[nodiscard]] std::int64_t total() const { return frozen + trained + projector; }
};
[[nodiscard]] TowerParameters tower_parameters(const Model& model);

/// Parameters of a whole model.
struct ModelParameters {
  std::int64_t embedding = 0;  ///< vocabulary, positions and relative position biases
  std::int64_t head = 0;       ///< 0 if tied to the embedding
  std::int64_t layers = 0;
  std::int64_t final_norm = 0;
  std::int64_t towers = 0;   ///< with their projectors
  std::int64_t encoder = 0;  ///< of an encoder-decoder model
  std::int64_t total = 0;
  std::int64_t active = 0;  ///< used by one token: only the top_k of the experts
};
[[nodiscard]] ModelParameters count_parameters(const Model& model);

}  // namespace railyard::placement
