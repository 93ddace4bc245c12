#pragma once

#include <cmath>

#include "placement/cost/activations.hpp"
#include "placement/cost/cost_context.hpp"

namespace railyard::placement {

/// A part of a layer (attention or MLP) under tensor parallelism: the matrix where tokens enter is
/// split by columns, the matrix where they leave by rows. Collectives at both ends depend on these
/// values.
struct TensorPart {
  double tokens = 0;
  double channels = 0;  ///< values per entering token; 0: hidden
  Time beside{};        ///< computation of the part in this pass, with which its collectives can
                        ///< overlap
  bool backward = false;
  bool enters = true, leaves = true;  ///< whether it has each end: the embedding has no entry, the
                                      ///< head no exit
  bool kept = false;                  ///< the gathered input is kept for the backward pass
                                      ///< (experts)
};

/// Adds kernels and collectives of one micro-batch to the cost of passes.
class PassBuilder {
 public:
  /// `edge`: for an edge layer (LayerRange::edge).
  PassBuilder(const TypeContext& context, const Strategy& strategy, const GroupShapes& shapes,
              bool edge = false);

  /// Adds a product with n x k weights: forward, its two backward products, the addition to the
  /// gradient sum, and the kernels that cast operands to 8 or 4 bits. `batch`: number of experts,
  /// each with kernels of its own (TransformerEngine's GroupedLinear).
  void weights(LayerCost& cost, LayerPart part, double tokens, double n, double k,
               double batch = 1) const;
  /// The same in the precision of the head. A router uses it too.
  void wide_weights(LayerCost& cost, double tokens, double n, double k) const;
  /// Only the forward product of `weights`.
  void product(PassCost& pass, LayerPart part, const Product& product) const;
  /// A product without weights: Q·K^T or P·V.
  void product(PassCost& pass, const Product& product) const;
  /// An elementwise kernel over `tokens` tokens with `bytes` of memory traffic per token.
  void stream(PassCost& pass, double tokens, double bytes) const;
  /// An elementwise kernel over `count` attention scores: softmax or dropout of unfused attention.
  void scores(PassCost& pass, double count, double bytes) const;
  /// One kernel of flash attention.
  void attention(PassCost& pass, const AttentionWork& work, bool backward) const;
  /// Adds the exposed time of the tensor-parallel collectives around a part. Forward: an all_reduce
  /// behind it; with sequence parallelism an all_gather before and a reduce_scatter behind it.
  /// Backward: the same for gradients in the opposite direction; with sequence parallelism the
  /// input is gathered again (Korthikanti et al., arXiv 2205.05198, section 4.2.2). With
  /// tp_overlap, time that overlaps with part.beside is omitted.
  void tensor_parallel(PassCost& pass, const TensorPart& part) const;

  /// Adds the collectives for encoder tokens that cross-attention reads, `width` values each. With
  /// sequence parallelism: all_gather forward and again backward, and reduce_scatter of their
  /// gradients; otherwise all_reduce of the gradients.
  void encoder_tokens(LayerCost& cost, double tokens, double width) const;

  /// Time of a collective for which the pass waits.
  [[nodiscard]] Time collective(const GroupCollective& what) const;

  double tokens;      ///< tokens of a micro-batch on the rank
  double cut_tokens;  ///< tokens on which the rank computes norms and dropout (sequence
                      ///< parallelism)
  double element;     ///< bytes of a 16- or 32-bit value

 private:
  void product(PassCost& pass, const Product& product, Precision precision) const;
  /// The three products of a weight matrix, and the addition to the gradient sum; `cost.scatter`
  /// gets the difference if gradients are copied to a collective's buffer after each micro-batch
  /// instead.
  void products(LayerCost& cost, const Product& forward, Precision precision) const;
  /// Kernels that cast the operands of a product of `tokens` tokens with n x k weights.
  void casts(LayerCost& cost, Precision precision, double tokens, double n, double k) const;
  /// Time of a tensor-parallel collective of `channels` values per token.
  [[nodiscard]] Time around(collectives::Kind kind, const TensorPart& part, double channels) const;
  [[nodiscard]] Time sharded_around(const TensorPart& part) const;

  const TypeContext& context_;
  const Strategy& strategy_;
  const GroupShapes& shapes_;
  bool edge_;
};

}  // namespace railyard::placement
