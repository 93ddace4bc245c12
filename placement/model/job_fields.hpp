#pragma once

#include "core/config/fields.hpp"
#include "placement/model/job.hpp"

namespace railyard {

template <>
struct core::EnumNames<placement::Precision> {
  using P = placement::Precision;
  static constexpr std::array<std::pair<P, std::string_view>, 4> table{
      {{P::fp32, "fp32"}, {P::fp16, "fp16"}, {P::bf16, "bf16"}, {P::fp8, "fp8"}}};
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
    field("precision", &T::precision, "of the matrix products");
    field(
        "attention", &T::attention,
        "flash, flash2 (of 2023, PyTorch's), flash1 (of 2022, and Triton's), or unfused as before");
    field("kernels", &T::kernels, "fused as in Megatron, or eager: each operation by itself");
    field("gradients", &T::gradients, "type in which gradients are reduced");
    field("moments", &T::moments, "type of the optimizer's two moments");
    field("fp8_act_input", &T::fp8_act_input,
          "inputs of swiglu are kept in 8 bit for the backward pass");
    field("blocking_launches", &T::blocking_launches,
          "the host waits for each kernel before the next (CUDA_LAUNCH_BLOCKING=1)");
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<placement::Job>();

}  // namespace railyard
