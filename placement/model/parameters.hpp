#pragma once

#include <cstdint>

#include "placement/model/model.hpp"

namespace railyard::placement {

/// Parameters of one layer, by what shards them: tensor parallelism cuts attention, cross, mlp and
/// experts, expert parallelism the experts too; norms, router and what compresses latent attention
/// are on every rank.
struct LayerParameters {
  std::int64_t attention = 0;
  std::int64_t cross = 0;    ///< attention to an encoder's tokens
  std::int64_t latent = 0;   ///< of MLA: hidden to compressed queries, keys and values
  std::int64_t mlp = 0;      ///< dense MLP, or the shared experts
  std::int64_t experts = 0;  ///< all routed experts
  std::int64_t replicated = 0;
  [[nodiscard]] std::int64_t total() const {
    return attention + cross + latent + mlp + experts + replicated;
  }
};

/// Parameters of a layer of the model: the dense kind, or the one with experts.
///   attention h(a·d + 2g·d) + a·d·h;  MLA h·rq + rq·a(dn+dr) + h(rkv+dr) + rkv·a(dn+dv) + a·dv·h
///   cross h·a·d + u·2g·d + a·d·h with u the encoder's hidden size
///   mlp 2hf (gelu, relu), 3hf (swiglu, geglu);  router hE
/// with biases one more per output, and norms (Megatron-LM's theoretical_memory_usage.py).
[[nodiscard]] LayerParameters layer_parameters(const Model& model, bool with_experts);

/// Parameters of the stem, positions, relative position biases, layers and the norm behind them; 0
/// without an encoder. The embedding is counted once, with the decoder.
[[nodiscard]] std::int64_t encoder_parameters(const Model& model);
/// Of a stack's table of relative position biases: buckets x heads (Raffel et al., arXiv
/// 1910.10683, section 2.1: layers share it).
[[nodiscard]] std::int64_t relative_parameters(const Model& model);

/// Parameters of towers and projectors.
struct TowerParameters {
  std::int64_t frozen = 0;     ///< of towers that are not trained
  std::int64_t trained = 0;    ///< of towers that are
  std::int64_t projector = 0;  ///< always trained
  [[nodiscard]] std::int64_t total() const { return frozen + trained + projector; }
};
[[nodiscard]] TowerParameters tower_parameters(const Model& model);

/// Parameters of a whole model.
struct ModelParameters {
  std::int64_t embedding = 0;  ///< vocabulary, positions and relative position biases
  std::int64_t head = 0;       ///< 0 where it is the embedding
  std::int64_t layers = 0;
  std::int64_t final_norm = 0;
  std::int64_t towers = 0;   ///< and their projectors
  std::int64_t encoder = 0;  ///< of an encoder-decoder
  std::int64_t total = 0;
  std::int64_t active = 0;  ///< that one token meets: of the experts only its top k
};
[[nodiscard]] ModelParameters count_parameters(const Model& model);

}  // namespace railyard::placement
