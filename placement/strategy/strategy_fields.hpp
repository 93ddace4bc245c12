#pragma once

#include "core/config/fields.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard {

template <>
struct core::EnumNames<placement::Recompute> {
  using R = placement::Recompute;
  static constexpr std::array<std::pair<R, std::string_view>, 3> table{
      {{R::none, "none"}, {R::selective, "selective"}, {R::full, "full"}}};
};

template <>
struct core::EnumNames<placement::PipelineSchedule> {
  using P = placement::PipelineSchedule;
  static constexpr std::array<std::pair<P, std::string_view>, 5> table{
      {{P::gpipe, "gpipe"},
       {P::one_f_one_b, "1f1b"},
       {P::interleaved, "interleaved"},
       {P::zero_bubble, "zero_bubble"},
       {P::dualpipe, "dualpipe"}}};
};

template <>
struct core::EnumNames<placement::ContextKind> {
  using C = placement::ContextKind;
  static constexpr std::array<std::pair<C, std::string_view>, 3> table{
      {{C::ring, "ring"}, {C::all_gather, "all_gather"}, {C::ulysses, "ulysses"}}};
};

template <>
struct core::Fields<placement::Strategy> {
  using T = placement::Strategy;
  static constexpr std::string_view name = "Strategy", doc = "How a job is spread over GPUs.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kCount{.minimum = 1, .maximum = 1'000'000};
    field("tp", &T::tp, kCount, "tensor parallelism");
    field("pp", &T::pp, kCount, "pipeline stages");
    field("dp", &T::dp, kCount, "data parallelism");
    field("cp", &T::cp, kCount, "context parallelism");
    field("ep", &T::ep, kCount, "expert parallelism");
    field("etp", &T::etp, kCount, "tensor parallelism inside an expert");
    field("zero", &T::zero, core::FieldOptions{.minimum = 0, .maximum = 3},
          "1: optimizer state is sharded, 2: gradients too, 3: parameters too");
    field("shard_group", &T::shard_group, core::FieldOptions{.minimum = 0, .maximum = 1'000'000},
          "ranks that share one copy of what is sharded; 0: all replicas");
    field("micro_batch", &T::micro_batch, kCount, "sequences of a micro-batch");
    field("interleave", &T::interleave, kCount, "pipeline stages per rank");
    field("recompute", &T::recompute, "what is computed again in the backward pass");
    field("recompute_layers", &T::recompute_layers,
          core::FieldOptions{.minimum = 0, .maximum = 4096}, "of a stage, with full; 0: all");
    field("early_stop", &T::early_stop,
          "full recomputation ends at the last tensor needed (PyTorch's checkpoint since 2.1)");
    field("recompute_norms", &T::recompute_norms, "norms are computed again in the backward pass");
    field("recompute_act", &T::recompute_act,
          "activation functions of MLPs and experts are computed again in the backward pass");
    field("recompute_mla", &T::recompute_mla,
          "queries, keys and values of latent attention are computed again in the backward pass");
    field("sequence_parallel", &T::sequence_parallel, "norms and dropout are cut by sequence");
    field("schedule", &T::schedule, "of the pipeline");
    field("context", &T::context, "how context parallelism moves keys and values");
    field("layers", &T::layers, core::FieldOptions{.minimum = 0, .maximum = 4096},
          "of each stage (and chunk), where they are not dealt evenly: layers=10*2/6*2");
    field(
        "tower_stages", &T::tower_stages, core::FieldOptions{.minimum = 0, .maximum = 4096},
        "stages at the front that hold towers, or the encoder, alone; 0: the first holds them too");
    field("even_ends", &T::even_ends, "embedding and head count as a layer each in the stages");
    field("tp_overlap", &T::tp_overlap, "tensor-parallel collectives beside their products");
    field("dp_overlap", &T::dp_overlap, "gradients reduced during the backward pass");
    field("pp_overlap", &T::pp_overlap, "sends and receives beside the next chunk");
    field("ep_overlap", &T::ep_overlap, "all-to-all beside another micro-batch's computation");
    field("offload_optimizer", &T::offload_optimizer, "optimizer state in host memory");
    field("offload_activations", &T::offload_activations, "activations in host memory");
    field("offload_weights", &T::offload_weights, "weights in host memory");
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<placement::Strategy>();

}  // namespace railyard
