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
  static constexpr std::string_view name = "Strategy", doc = "A parallelisation strategy.";
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
          "ZeRO stage: 1 shards optimizer state, 2 also gradients, 3 also parameters");
    field("shard_group", &T::shard_group, core::FieldOptions{.minimum = 0, .maximum = 1'000'000},
          "ranks that share one copy of the sharded state; 0: all data-parallel and "
          "context-parallel ranks");
    field("micro_batch", &T::micro_batch, kCount, "sequences per micro-batch");
    field("interleave", &T::interleave, kCount, "pipeline stages per rank");
    field("recompute", &T::recompute, "activations that the backward pass recomputes");
    field("recompute_layers", &T::recompute_layers,
          core::FieldOptions{.minimum = 0, .maximum = 4096},
          "recompute=full: layers per stage; 0: all");
    field("early_stop", &T::early_stop,
          "full recomputation ends at the last tensor needed (PyTorch's checkpoint since 2.1)");
    field("recompute_norms", &T::recompute_norms, "recompute norms in the backward pass");
    field("recompute_act", &T::recompute_act,
          "recompute activation functions of MLPs and experts in the backward pass");
    field("recompute_mla", &T::recompute_mla,
          "recompute queries, keys and values of latent attention in the backward pass");
    field("sequence_parallel", &T::sequence_parallel, "shard norms and dropout by sequence");
    field("schedule", &T::schedule, "pipeline schedule");
    field("context", &T::context, "exchange of keys and values in context parallelism");
    field("layers", &T::layers, core::FieldOptions{.minimum = 0, .maximum = 4096},
          "layers of each stage (and chunk): layers=10*2/6*2; left out: an even split");
    field("tower_stages", &T::tower_stages, core::FieldOptions{.minimum = 0, .maximum = 4096},
          "first pipeline stages with towers or the encoder only; 0: they share the first stage "
          "with layers");
    field("even_ends", &T::even_ends, "an even split counts embedding and head as one layer each");
    field("tp_overlap", &T::tp_overlap, "tensor-parallel collectives overlap with their products");
    field("dp_overlap", &T::dp_overlap, "gradients are reduced during the backward pass");
    field("pp_overlap", &T::pp_overlap, "sends and receives overlap with the next chunk");
    field("ep_overlap", &T::ep_overlap,
          "all-to-all overlaps with another micro-batch's computation");
    field("offload_optimizer", &T::offload_optimizer, "keep optimizer state in host memory");
    field("offload_activations", &T::offload_activations, "keep activations in host memory");
    field("offload_weights", &T::offload_weights, "keep weights in host memory");
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<placement::Strategy>();

}  // namespace railyard
