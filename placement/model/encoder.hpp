#pragma once

#include <cstdint>

#include "placement/cost/layer_cost.hpp"

namespace railyard::placement {

/// The encoder's transformer as a model, to be counted with the formulas of layers: the decoder's
/// sizes where the encoder gives none, no cross-attention, every token sees every other. The model
/// has an encoder.
[[nodiscard]] Model encoder_model(const Model& model);
/// Its work in a job: sequences of its own length.
[[nodiscard]] Job encoder_job(const Job& job);
/// The strategy in it: the same tensor parallelism, no given layers.
[[nodiscard]] Strategy encoder_strategy(const Strategy& strategy);

/// Its tokens are words, looked up in the decoder's embedding.
[[nodiscard]] bool reads_text(const Model& model);

/// Parameters of the stem, positions, relative position biases, layers and the norm behind them; 0
/// without an encoder. The embedding is counted once, with the decoder.
[[nodiscard]] std::int64_t encoder_parameters(const Model& model);
/// Of a stack's table of relative position biases: buckets x heads (Raffel et al., arXiv
/// 1910.10683, section 2.1: layers share it).
[[nodiscard]] std::int64_t relative_parameters(const Model& model);

/// Model operations of the encoder for one sequence, forward and backward: 3 x forward, of a frozen
/// one forward alone. Keys and values of its tokens are counted with the decoder's layers.
[[nodiscard]] double encoder_flops(const Job& job);

/// Passes over one micro-batch: stem or embedding, and the layers.
[[nodiscard]] LayerCost encoder_cost(const CostContext& context, const Strategy& strategy,
                                     const GroupShapes& shapes);

/// Bytes that a micro-batch leaves for the backward pass on a rank with the whole encoder; 0 where
/// it is frozen.
[[nodiscard]] double encoder_activations(const Job& job, const Strategy& strategy);
/// Its output of one micro-batch on a rank, which every stage with decoder layers keeps and hands
/// on.
[[nodiscard]] double encoder_output_bytes(const Job& job, const Strategy& strategy);

}  // namespace railyard::placement
