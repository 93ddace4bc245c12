#pragma once

#include "core/config/fields.hpp"
#include "placement/model/job.hpp"

namespace railyard {

template <>
struct core::EnumNames<placement::Precision> {
  using P = placement::Precision;
  static constexpr std::array<std::pair<P, std::string_view>, 6> table{{{P::fp32, "fp32"},
                                                                        {P::fp16, "fp16"},
                                                                        {P::bf16, "bf16"},
                                                                        {P::fp8, "fp8"},
                                                                        {P::mxfp8, "mxfp8"},
                                                                        {P::nvfp4, "nvfp4"}}};
};

template <>
struct core::EnumNames<placement::LayerPart> {
  using L = placement::LayerPart;
  static constexpr std::array<std::pair<L, std::string_view>, 6> table{{{L::layer, "layer"},
                                                                        {L::attention, "attention"},
                                                                        {L::mlp, "mlp"},
                                                                        {L::experts, "experts"},
                                                                        {L::scores, "scores"},
                                                                        {L::head, "head"}}};
};

template <>
struct core::EnumNames<placement::LayerRange> {
  using L = placement::LayerRange;
  static constexpr std::array<std::pair<L, std::string_view>, 3> table{
      {{L::all, "all"}, {L::edge, "edge"}, {L::inner, "inner"}}};
};

template <>
struct core::EnumNames<placement::LossKernel> {
  using L = placement::LossKernel;
  static constexpr std::array<std::pair<L, std::string_view>, 3> table{
      {{L::unfused, "unfused"}, {L::native, "native"}, {L::te, "te"}}};
};

template <>
struct core::Fields<placement::PrecisionRule> {
  using T = placement::PrecisionRule;
  static constexpr std::string_view name = "PrecisionRule",
                                    doc = "Precision of a part of some layers.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("part", &T::part,
          "layer: all products of a layer with weights; attention, mlp, experts: those of that "
          "part; scores: the QK^T and PV products of attention; head: output head");
    field("layers", &T::layers,
          "all layers, edge (first_layers and last_layers), or inner (the others)");
    field("precision", &T::precision, core::required, "precision of these products");
  }
};

template <>
struct core::EnumNames<placement::AttentionKernel> {
  using A = placement::AttentionKernel;
  static constexpr std::array<std::pair<A, std::string_view>, 4> table{
      {{A::unfused, "unfused"}, {A::flash, "flash"}, {A::flash1, "flash1"}, {A::flash2, "flash2"}}};
};

template <>
struct core::EnumNames<placement::KernelStyle> {
  using K = placement::KernelStyle;
  static constexpr std::array<std::pair<K, std::string_view>, 2> table{
      {{K::fused, "fused"}, {K::eager, "eager"}}};
};

template <>
struct core::EnumNames<placement::GradientType> {
  using G = placement::GradientType;
  static constexpr std::array<std::pair<G, std::string_view>, 2> table{
      {{G::fp16, "fp16"}, {G::fp32, "fp32"}}};
};

template <>
struct core::EnumNames<placement::GradientSum> {
  using G = placement::GradientSum;
  static constexpr std::array<std::pair<G, std::string_view>, 2> table{
      {{G::fused, "fused"}, {G::separate, "separate"}}};
};

template <>
struct core::EnumNames<placement::MomentType> {
  using M = placement::MomentType;
  static constexpr std::array<std::pair<M, std::string_view>, 2> table{
      {{M::bf16, "bf16"}, {M::fp32, "fp32"}}};
};

template <>
struct core::Fields<placement::Job> {
  using T = placement::Job;
  static constexpr std::string_view name = "Job", doc = "A training job.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "name of the job");
    field("source", &T::source, "source of the values: document, page or measurement");
    field("model", &T::model_name, core::required, "name in configs/models, or a path");
    field("batch", &T::batch, core::FieldOptions{.required = true, .minimum = 1},
          "global batch: sequences per step over all GPUs");
    field("batches", &T::batches, core::FieldOptions{.minimum = 1},
          "further global batches to choose from; place picks one of these or batch");
    field("sequence", &T::sequence, core::FieldOptions{.minimum = 0},
          "tokens per sequence; 0: the model's");
    field("encoder_sequence", &T::encoder_sequence, core::FieldOptions{.minimum = 0},
          "tokens per encoder input; 0: the model's");
    field("tokens", &T::tokens, core::FieldOptions{.minimum = 0},
          "total training tokens, for training time and cost; for an encoder-decoder those of the "
          "decoder; 0: unknown");
    field("precision", &T::precision, "precision of the matrix products of layers");
    field("precisions", &T::precisions,
          "exceptions by part and layer; the last matching rule applies");
    field("first_layers", &T::first_layers, core::FieldOptions{.minimum = 0},
          "number of first layers that rules call edge");
    field("last_layers", &T::last_layers, core::FieldOptions{.minimum = 0},
          "number of last layers that rules call edge");
    field("attention", &T::attention,
          "attention kernel: flash (the best of the GPU generation), flash2 (FlashAttention-2, "
          "PyTorch), flash1 (FlashAttention-1, Triton), or unfused");
    field("kernels", &T::kernels,
          "elementwise kernels: fused as in Megatron, or eager (one per operation)");
    field("loss", &T::loss,
          "cross-entropy kernels: unfused, native or te, as --cross-entropy-fusion-impl of "
          "Megatron-LM");
    field("narrow_weights", &T::narrow_weights,
          "keep and gather layer weights in the precision of their products (--fp8-param-gather of "
          "Megatron-LM)");
    field("gradients", &T::gradients, "data type in which gradients are accumulated and reduced");
    field("gradient_sum", &T::gradient_sum,
          "accumulation of gradients over micro-batches: fused into the weight-gradient products, "
          "or in separate kernels (--no-gradient-accumulation-fusion of Megatron-LM)");
    field("moments", &T::moments, "data type of the optimizer's two moments");
    field("fp8_act_input", &T::fp8_act_input,
          "store the inputs of swiglu in 8 bits for the backward pass");
    field("blocking_launches", &T::blocking_launches,
          "the host waits for each kernel (CUDA_LAUNCH_BLOCKING=1)");
    field("cuda_graphs", &T::cuda_graphs,
          "passes run as CUDA graphs, without host time per kernel");
  }
  static void check(const T& job, core::Problems& problems) {
    bool names_edges = false, is_narrow = placement::is_narrow(job.precision);
    for (const placement::PrecisionRule& rule : job.precisions) {
      names_edges = names_edges || rule.layers != placement::LayerRange::all;
      is_narrow = is_narrow || placement::is_narrow(rule.precision);
    }
    const bool has_edges = job.first_layers + job.last_layers > 0;
    if (names_edges && !has_edges)
      problems.add("/precisions", "rules name layers at the edge, but the job has none",
                   "\"last_layers\": 4");
    if (has_edges && !names_edges)
      problems.add(job.first_layers > 0 ? "/first_layers" : "/last_layers",
                   "no rule of precisions names these layers",
                   "\"precisions\": [{\"layers\": \"edge\", \"precision\": \"bf16\"}]");
    if (job.narrow_weights && !is_narrow)
      problems.add("/narrow_weights", "no product of the job is in 8 or 4 bit",
                   "\"precision\": \"fp8\"");
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<placement::Job>();

}  // namespace railyard
