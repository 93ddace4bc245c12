#pragma once

#include <cmath>

#include "placement/cost/activations.hpp"
#include "placement/cost/cost_context.hpp"

namespace railyard::placement {

/// A part of the network that tensor parallelism cuts: by columns where tokens enter it, by rows
/// where they leave it.
struct TensorPart {
  double tokens = 0;
  double channels = 0;  ///< of a token that enters it; 0: the hidden size
  Time beside{};        ///< what it computes in this pass: its collectives hide behind products
  bool backward = false;
  bool enters = true, leaves = true;  ///< the embedding has no entry, the head no exit
  bool kept = false;                  ///< what was gathered forward is kept (experts)
};

/// Adds kernels and collectives to passes; knows the shapes of a micro-batch.
class PassBuilder {
 public:
  /// Of a layer at the edges of the network, or of another.
  PassBuilder(const TypeContext& context, const Strategy& strategy, const GroupShapes& shapes,
              bool edge = false);

  /// A product of a part with weights of n x k, forward; its two products backward, the gradient's
  /// sum, and the kernels that make operands of 8 or 4 bits. `batch` of them are experts, each
  /// launched by itself (TransformerEngine's GroupedLinear).
  void weights(LayerCost& cost, LayerPart part, double tokens, double n, double k,
               double batch = 1) const;
  /// The same in the precision of the head: a router too.
  void wide_weights(LayerCost& cost, double tokens, double n, double k) const;
  /// A product with weights alone, as `weights` computes it forward.
  void product(PassCost& pass, LayerPart part, const Product& product) const;
  /// A product without weights (scores, context).
  void product(PassCost& pass, const Product& product) const;
  /// Elementwise kernels over `tokens` tokens, `bytes` of memory traffic per token.
  void stream(PassCost& pass, double tokens, double bytes) const;
  /// The same over attention scores: softmax and dropout of unfused kernels.
  void scores(PassCost& pass, double count, double bytes) const;
  /// A kernel of flash attention.
  void attention(PassCost& pass, const AttentionWork& work, bool backward) const;
  /// The collectives of the tensor-parallel group around a part: all_reduce behind it, or with
  /// sequence parallelism all_gather before and reduce_scatter behind; backward the same of
  /// gradients, from behind to before, and with sequence parallelism what entered once more
  /// (Korthikanti et al., arXiv 2205.05198, section 4.2.2). With tp_overlap what `beside` does not
  /// hide.
  void tensor_parallel(PassCost& pass, const TensorPart& part) const;

  /// Tokens of an encoder, `width` numbers each, that a product with weights of a decoder layer
  /// takes: with sequence parallelism an all_gather in front, and backward once more, and the sum
  /// of their gradients.
  void encoder_tokens(LayerCost& cost, double tokens, double width) const;

  /// The time of a collective that a pass waits for.
  [[nodiscard]] Time collective(const GroupCollective& what) const;

  double tokens;      ///< of a micro-batch on the rank
  double cut_tokens;  ///< of those, where norms and dropout work
  double element;     ///< bytes

 private:
  void product(PassCost& pass, const Product& product, Precision precision) const;
  /// The three products of weights, and the gradient's sum, or its copy for a collective that
  /// scatters it after each micro-batch.
  void products(LayerCost& cost, const Product& forward, Precision precision) const;
  /// Kernels that make the operands of a product of `tokens` tokens, n x k weights.
  void casts(LayerCost& cost, Precision precision, double tokens, double n, double k) const;
  /// A tensor-parallel collective of so many channels around the products of a part.
  [[nodiscard]] Time around(collectives::Kind kind, const TensorPart& part, double channels) const;
  [[nodiscard]] Time sharded_around(const TensorPart& part) const;

  const TypeContext& context_;
  const Strategy& strategy_;
  const GroupShapes& shapes_;
  bool edge_;
};

}  // namespace railyard::placement
