#include "placement/cost/pass_builder.hpp"

#include <algorithm>
#include <cmath>

#include "placement/cost/blocking.hpp"

namespace railyard::placement {

using collectives::Kind;

namespace {

/// Memory traffic of the kernels that cast a product's operands from 16-bit tensors: bytes per
/// element of the input (forward) and of the output gradient (backward), and the number of kernels.
struct CastTraffic {
  double forward = 0, backward = 0;
  int forward_kernels = 0, backward_kernels = 0;
};

/// TransformerEngine 2.x. fp8: forward, the previous kernels already write 8 bits; backward, the
/// gradient is read once and written twice, once transposed. mxfp8: input and gradient are read
/// once and written with blocks along rows and along columns (cast_mxfp8); another kernel reorders
/// the scales for the matrix units (swizzle). nvfp4: maxima are read first, for rows and, after the
/// Hadamard transform, for columns; then rows and columns are read and written one after the other
/// (NVFP4Quantizer::quantize, hadamard_transform_cast_fusion; arXiv 2509.25149, appendix C).
CastTraffic cast_traffic(Precision precision) {
  const double wide = 2, narrow = operand_bytes(precision);
  switch (precision) {
    case Precision::fp8: return {.backward = wide + 2 * narrow, .backward_kernels = 1};
    case Precision::mxfp8: {
      const double both = wide + 2 * narrow;
      return {both, both, 2, 2};
    }
    case Precision::nvfp4: {
      const double both = wide + 2 * (wide + narrow);
      return {both, both, 4, 4};
    }
    case Precision::fp32:
    case Precision::fp16:
    case Precision::bf16: break;
  }
  return {};
}

}  // namespace

PassBuilder::PassBuilder(const TypeContext& context, const Strategy& strategy,
                         const GroupShapes& shapes, bool edge)
    : tokens(micro_batch_tokens(context.job, strategy)),
      cut_tokens(strategy.sequence_parallel ? tokens / strategy.tp : tokens),
      element(context.job.element_bytes()),
      context_(context),
      strategy_(strategy),
      shapes_(shapes),
      edge_(edge) {}

void PassBuilder::product(PassCost& pass, const Product& p) const {
  product(pass, p, context_.job.precision_of(LayerPart::scores, edge_));
}

void PassBuilder::product(PassCost& pass, LayerPart part, const Product& p) const {
  product(pass, p, context_.job.precision_of(part, edge_));
}

void PassBuilder::product(PassCost& pass, const Product& p, Precision precision) const {
  const topology::ComputeSpec& c = context_.gpu.compute();
  const Time time = context_.products != nullptr ? context_.products->time(precision, p)
                                                 : product_time(context_.gpu, precision, p);
  pass.compute += Time::from_seconds(time.seconds() / c.sustained_clock);
  ++pass.kernels;
}

void PassBuilder::stream(PassCost& pass, double count, double bytes) const {
  const topology::ComputeSpec& c = context_.gpu.compute();
  const bool eager = context_.job.kernels == KernelStyle::eager;
  const double slower = eager ? c.stream_efficiency / c.eager_efficiency : 1.0;
  pass.compute += stream_time(context_.gpu, count * bytes * slower);
  ++pass.kernels;
}

void PassBuilder::scores(PassCost& pass, double count, double bytes) const {
  const topology::ComputeSpec& c = context_.gpu.compute();
  pass.compute +=
      stream_time(context_.gpu, count * bytes * c.stream_efficiency / c.score_efficiency);
  ++pass.kernels;
}

void PassBuilder::attention(PassCost& pass, const AttentionWork& work, bool backward) const {
  const topology::ComputeSpec& c = context_.gpu.compute();
  const Precision precision = context_.job.precision_of(LayerPart::scores, edge_);
  const Time time = attention_time(context_.gpu, context_.job.attention, work, backward, precision);
  // Power grows with the used fraction of the matrix units and the cube of the clock. A kernel that
  // leaves most of them idle therefore runs at a higher clock than products do.
  double clock = c.sustained_clock;
  if (context_.job.attention == AttentionKernel::flash2 && c.flash2_efficiency > 0)
    clock = std::min(1.0, clock * std::cbrt(c.matrix_efficiency / c.flash2_efficiency));
  pass.compute += Time::from_seconds(time.seconds() / clock);
  ++pass.kernels;
}

void PassBuilder::products(LayerCost& cost, const Product& p, Precision precision) const {
  product(cost.forward, p, precision);
  product(cost.backward, {.m = p.m, .n = p.k, .k = p.n, .batch = p.batch}, precision);
  Product gradient{.m = p.n, .n = p.k, .k = p.m, .batch = p.batch};
  const double each = context_.job.gradient_bytes(), weights = p.n * p.k * p.batch;
  PassCost summed, scattered;
  // Without ZeRO 2 and 3: added to the gradient sum, which is read and written, either by the
  // product or by a separate kernel that reads a 16-bit result.
  const bool fused = context_.job.gradient_sum == GradientSum::fused;
  gradient.result_bytes = fused ? 2 * each : element;
  product(summed, gradient, precision);
  if (!fused) stream(summed, weights, element + 2 * each);
  summed.kernels = 1;
  // With ZeRO 2 and 3: copied to the buffer of a collective.
  gradient.result_bytes = element;
  product(scattered, gradient, precision);
  stream(scattered, weights, element + each);
  scattered.kernels = 1;
  cost.backward += summed;
  cost.scatter += scattered;
  cost.scatter -= summed;
}

void PassBuilder::casts(LayerCost& cost, Precision precision, double count, double n,
                        double k) const {
  const CastTraffic traffic = cast_traffic(precision);
  if (traffic.forward > 0) stream(cost.forward, count, k * traffic.forward);
  if (traffic.backward > 0) stream(cost.backward, count, n * traffic.backward);
  // `stream` has counted one launch already.
  cost.forward.kernels += std::max(0, traffic.forward_kernels - 1);
  cost.backward.kernels += std::max(0, traffic.backward_kernels - 1);
}

void PassBuilder::weights(LayerCost& cost, LayerPart part, double count, double n, double k,
                          double batch) const {
  const Precision precision = context_.job.precision_of(part, edge_);
  products(cost, {.m = count, .n = n, .k = k, .batch = batch}, precision);
  casts(cost, precision, count * batch, n, k);
  if (batch <= 1) return;
  // One launch per expert instead of one. With 8-bit or 4-bit operands each expert also needs a
  // kernel for the maximum and one for the cast, forward and backward.
  const int experts = static_cast<int>(batch), each = is_narrow(precision) ? 2 * experts : 0;
  cost.forward.kernels += experts - 1 + each;
  cost.backward.kernels += 2 * (experts - 1) + each;
}

void PassBuilder::wide_weights(LayerCost& cost, double count, double n, double k) const {
  const Precision precision = context_.job.precision_of(LayerPart::head, edge_);
  products(cost, {.m = count, .n = n, .k = k}, precision);
  casts(cost, precision, count, n, k);
}

Time PassBuilder::collective(const GroupCollective& what) const {
  return pass_collective(context_, strategy_, what);
}

Time PassBuilder::around(Kind kind, const TensorPart& part, double channels) const {
  return collective({kind, GroupRole::tensor, shapes_.tp, part.tokens * channels * element});
}

/// Exposed time of the all_gather and reduce_scatter around a part with sequence parallelism.
Time PassBuilder::sharded_around(const TensorPart& part) const {
  const double hidden = context_.job.model.hidden;
  const double inner = part.channels > 0 ? part.channels : hidden;
  const auto time = [&](Kind kind, double channels) { return around(kind, part, channels); };
  if (!part.backward)
    return (part.enters ? time(Kind::all_gather, inner) : Time()) +
           (part.leaves ? time(Kind::reduce_scatter, hidden) : Time());
  // Half of the backward products compute input gradients, and the gather of the input overlaps
  // with them. The other half computes weight gradients, and the scatter of the input gradients
  // overlaps with these.
  const Time half = products_share_multiprocessors(context_.gpu.gpu)
                        ? Time::from_seconds(part.beside.seconds() / 2)
                        : Time();
  const auto left = [&](Time all) { return all - std::min(all, half); };
  Time exposed = part.leaves ? time(Kind::all_gather, hidden) : Time();
  if (part.enters) exposed += left(time(Kind::reduce_scatter, inner));
  if (part.enters && !part.kept) exposed += left(time(Kind::all_gather, inner));
  return exposed;
}

void PassBuilder::tensor_parallel(PassCost& pass, const TensorPart& part) const {
  if (strategy_.tp == 1) return;
  const double hidden = context_.job.model.hidden;
  Time exposed;
  if (strategy_.sequence_parallel) {
    exposed = sharded_around(part);
    pass.kernels += part.enters + part.leaves;
    if (part.backward && part.enters && !part.kept) ++pass.kernels;
  } else if (part.backward ? part.enters : part.leaves) {
    const double channels = part.backward && part.channels > 0 ? part.channels : hidden;
    exposed = around(Kind::all_reduce, part, channels);
    // The backward all_reduce overlaps with the weight gradients (Megatron-LM since 2022): about a
    // third of the part's backward computation, elementwise kernels and attention included.
    if (part.backward && products_share_multiprocessors(context_.gpu.gpu))
      exposed -= std::min(exposed, Time::from_seconds(part.beside.seconds() / 3));
    ++pass.kernels;
  }
  // Only NVLink supports products in pieces (TransformerEngine's user buffers).
  if (strategy_.tp_overlap && shapes_.tp.nodes() == 1) {
    // tp pieces, of which the first (or last) overlaps with nothing. Overlapped collectives occupy
    // multiprocessors of the concurrent products.
    const double t = strategy_.tp, whole = exposed.seconds();
    const double behind = std::min(whole, part.beside.seconds()) * (t - 1) / t;
    const double share = context_.gpu.compute().communication_share;
    exposed = Time::from_seconds(whole - behind + share * behind);
  }
  pass.tp += exposed;
}

void PassBuilder::encoder_tokens(LayerCost& cost, double count, double width) const {
  if (strategy_.tp == 1) return;
  const auto ask = [&](PassCost& pass, Kind kind) {
    pass.tp += collective({kind, GroupRole::tensor, shapes_.tp, count * width * element});
    ++pass.kernels;
  };
  if (!strategy_.sequence_parallel) return ask(cost.backward, Kind::all_reduce);
  ask(cost.forward, Kind::all_gather);
  ask(cost.backward, Kind::all_gather);
  ask(cost.backward, Kind::reduce_scatter);
}

}  // namespace railyard::placement
