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
                                    doc = "The precision of a part of some layers.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("part", &T::part,
          "products of a layer with weights, of its attention, mlp or experts; scores: attention's "
          "own products; head");
    field("layers", &T::layers, "all, those at the edge (first_layers, last_layers), or the inner");
    field("precision", &T::precision, core::required, "of these products");
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
  static constexpr std::string_view name = "Job", doc = "A model to train.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("name", &T::name, core::required, "what it is called");
    field("source", &T::source, "where the numbers are from");
    field("model", &T::model_name, core::required, "name in configs/models, or a path");
    field("batch", &T::batch, core::FieldOptions{.required = true, .minimum = 1},
          "sequences of one step, over all GPUs");
    field("batches", &T::batches, core::FieldOptions{.minimum = 1},
          "others that would train as well: place chooses among these and batch");
    field("sequence", &T::sequence, core::FieldOptions{.minimum = 0},
          "tokens of a sequence; 0: as the model says");
    field("encoder_sequence", &T::encoder_sequence, core::FieldOptions{.minimum = 0},
          "tokens of an encoder's input; 0: as the model says");
    field("tokens", &T::tokens, core::FieldOptions{.minimum = 0},
          "to train on, for days and cost; of an encoder-decoder the decoder's");
    field("precision", &T::precision, "of the matrix products of layers");
    field("precisions", &T::precisions,
          "exceptions by part of a layer; of several that match the last counts");
    field("first_layers", &T::first_layers, core::FieldOptions{.minimum = 0},
          "first layers that rules call edge");
    field("last_layers", &T::last_layers, core::FieldOptions{.minimum = 0},
          "last layers that rules call edge");
    field(
        "attention", &T::attention,
        "flash, flash2 (of 2023, PyTorch's), flash1 (of 2022, and Triton's), or unfused as before");
    field("kernels", &T::kernels, "fused as in Megatron, or eager: each operation by itself");
    field("loss", &T::loss,
          "kernels of the loss: unfused, or as --cross-entropy-fusion-impl: native, te");
    field("narrow_weights", &T::narrow_weights,
          "weights of layers are kept and gathered in their products' precision "
          "(--fp8-param-gather)");
    field("gradients", &T::gradients, "type in which gradients are reduced");
    field("gradient_sum", &T::gradient_sum,
          "gradients of micro-batches are added up by the products that make them (fused), or by "
          "kernels behind them (separate, --no-gradient-accumulation-fusion)");
    field("moments", &T::moments, "type of the optimizer's two moments");
    field("fp8_act_input", &T::fp8_act_input,
          "inputs of swiglu are kept in 8 bit for the backward pass");
    field("blocking_launches", &T::blocking_launches,
          "the host waits for each kernel before the next (CUDA_LAUNCH_BLOCKING=1)");
    field("cuda_graphs", &T::cuda_graphs,
          "passes are replayed as CUDA graphs: the host launches none of their kernels");
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
