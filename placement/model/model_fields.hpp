#pragma once

#include "core/config/fields.hpp"
#include "placement/model/model.hpp"

namespace railyard {

template <>
struct core::EnumNames<placement::Mlp> {
  static constexpr std::array<std::pair<placement::Mlp, std::string_view>, 4> table{
      {{placement::Mlp::gelu, "gelu"},
       {placement::Mlp::swiglu, "swiglu"},
       {placement::Mlp::relu, "relu"},
       {placement::Mlp::geglu, "geglu"}}};
};

template <>
struct core::EnumNames<placement::Norm> {
  static constexpr std::array<std::pair<placement::Norm, std::string_view>, 2> table{
      {{placement::Norm::layer_norm, "layer_norm"}, {placement::Norm::rms_norm, "rms_norm"}}};
};

template <>
struct core::Fields<placement::MlaSpec> {
  using T = placement::MlaSpec;
  static constexpr std::string_view name = "Mla", doc = "Multi-head latent attention.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kSize{.required = true, .minimum = 1, .maximum = 1'000'000};
    field("query_rank", &T::query_rank, core::FieldOptions{.minimum = 0, .maximum = 1'000'000},
          "rank of compressed queries (q_lora_rank); 0: queries are not compressed");
    field("kv_rank", &T::kv_rank, kSize, "rank of compressed keys and values (kv_lora_rank)");
    field("nope_dim", &T::nope_dim, kSize, "key size per head without position (qk_nope_head_dim)");
    field("rope_dim", &T::rope_dim, kSize,
          "key size per head with rotary position (qk_rope_head_dim)");
    field("value_dim", &T::value_dim, kSize, "value size per head (v_head_dim)");
  }
};

template <>
struct core::Fields<placement::MoeSpec> {
  using T = placement::MoeSpec;
  static constexpr std::string_view name = "Moe", doc = "Mixture of experts.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kSize{.required = true, .minimum = 1, .maximum = 1'000'000};
    constexpr core::FieldOptions kCount{.minimum = 0, .maximum = 1'000'000};
    field("experts", &T::experts, kSize, "routed experts per layer");
    field("top_k", &T::top_k, kSize, "experts per token");
    field("ffn", &T::ffn, kSize, "inner size of one expert");
    field("shared_ffn", &T::shared_ffn, kCount, "inner size of all shared experts together");
    field("dense_layers", &T::dense_layers, kCount, "number of first layers with a dense MLP");
    field("node_limit", &T::node_limit, kCount,
          "largest number of nodes for the experts of a token; 0: no limit");
    field("capacity", &T::capacity, core::FieldOptions{.minimum = 0, .maximum = 64},
          "capacity factor of an expert; 0: dropless");
  }
  static void check(const T& moe, core::Problems& problems) {
    if (moe.top_k > moe.experts)
      problems.add("top_k", "a token cannot go to more experts than there are");
  }
};

template <>
struct core::Fields<placement::TowerSpec> {
  using T = placement::TowerSpec;
  static constexpr std::string_view
      name = "Tower",
      doc = "An encoder of images or sound whose output tokens are part of the sequence.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kSize{.required = true, .minimum = 1, .maximum = 1'000'000};
    constexpr core::FieldOptions kCount{.minimum = 0, .maximum = 1'000'000};
    field("name", &T::name, core::required, "name of the encoder");
    field("layers", &T::layers, core::FieldOptions{.required = true, .minimum = 1, .maximum = 4096},
          "transformer layers");
    field("hidden", &T::hidden, kSize, "hidden size");
    field("ffn", &T::ffn, kSize, "inner size of the MLP");
    field("heads", &T::heads, kSize, "attention heads");
    field("tokens", &T::tokens, kSize, "tokens per input inside the encoder");
    field("inputs", &T::inputs, core::FieldOptions{.minimum = 0.001, .maximum = 10'000},
          "mean number of inputs (images) per sequence");
    field("patch", &T::patch, kCount, "values per patch: 588 for 14 x 14 x 3");
    field("positions", &T::positions, kCount, "learned position embeddings; 0: none");
    field("projected", &T::projected, kCount,
          "tokens per input that the projector passes to the model; 0: all");
    field("projector_inputs", &T::projector_inputs, kCount,
          "input size of the projector; 0: hidden");
    field("projector_hidden", &T::projector_hidden, kCount,
          "size between the projector's two matrices; 0: one matrix");
    field("mlp", &T::mlp, "activation: gelu and relu have two matrices, swiglu and geglu three");
    field("norm", &T::norm, "normalisation");
    field("biases", &T::biases, "linear layers have biases");
    field("frozen", &T::frozen, "the encoder is not trained; its projector is");
  }
  static void check(const T& tower, core::Problems& problems) {
    if (tower.hidden % tower.heads != 0) problems.add("heads", "does not divide hidden");
    if (tower.projected > tower.tokens) problems.add("projected", "more tokens than the tower has");
  }
};

template <>
struct core::Fields<placement::StemSpec> {
  using T = placement::StemSpec;
  static constexpr std::string_view name = "Stem", doc = "A convolution before an encoder.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kSize{.required = true, .minimum = 1, .maximum = 1'000'000};
    field("inputs", &T::inputs, kSize, "values per kernel position: channels x width");
    field("per_token", &T::per_token, core::FieldOptions{.minimum = 1, .maximum = 1024},
          "kernel positions per token");
  }
};

template <>
struct core::Fields<placement::EncoderSpec> {
  using T = placement::EncoderSpec;
  static constexpr std::string_view name = "Encoder",
                                    doc = "The encoder of an encoder-decoder transformer.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kCount{.minimum = 0, .maximum = 1'000'000};
    field("layers", &T::layers, core::FieldOptions{.required = true, .minimum = 1, .maximum = 4096},
          "transformer layers");
    field("tokens", &T::tokens,
          core::FieldOptions{.required = true, .minimum = 1, .maximum = 1'000'000},
          "encoder tokens per decoder sequence, unless the job has encoder_sequence");
    field("hidden", &T::hidden, kCount, "hidden size; 0: the decoder's");
    field("ffn", &T::ffn, kCount, "inner size of the MLP; 0: the decoder's");
    field("heads", &T::heads, kCount, "attention heads; 0: the decoder's");
    field("head_dim", &T::head_dim, kCount, "size of a head; 0: the decoder's");
    field("positions", &T::positions, kCount, "position embeddings; 0: none");
    field("stem", &T::stem,
          "convolutions at the input; left out: tokens use the embedding of the decoder");
    field("frozen", &T::frozen, "the encoder is not trained");
  }
};

template <>
struct core::Fields<placement::Model> {
  using T = placement::Model;
  static constexpr std::string_view name = "Model", doc = "A transformer model.";
  template <class Visitor>
  static void list(Visitor& field) {
    constexpr core::FieldOptions kSize{.required = true, .minimum = 1, .maximum = 10'000'000};
    constexpr core::FieldOptions kCount{.minimum = 0, .maximum = 10'000'000};
    field("name", &T::name, core::required, "name of the model");
    field("source", &T::source, "source of the values: document, page or measurement");
    field("layers", &T::layers, core::FieldOptions{.required = true, .minimum = 1, .maximum = 4096},
          "transformer layers");
    field("hidden", &T::hidden, kSize, "hidden size");
    field("ffn", &T::ffn, kSize, "inner size of the dense MLP");
    field("heads", &T::heads, kSize, "attention heads");
    field("kv_heads", &T::kv_heads, kCount, "key and value heads; 0: same as heads");
    field("head_dim", &T::head_dim, kCount, "size of a head; 0: hidden / heads");
    field("vocabulary", &T::vocabulary, kSize, "vocabulary size, with padding");
    field("positions", &T::positions, kCount, "learned position embeddings; 0: none");
    field("rotary_base", &T::rotary_base, core::FieldOptions{.minimum = 0, .maximum = 1e12},
          "base of rotary positions; 0: unknown");
    field("qk_norm", &T::qk_norm, "queries and keys of each head are normalised");
    field("sequence", &T::sequence, kCount, "tokens per sequence, unless the job has sequence");
    field("mlp", &T::mlp, "activation: gelu and relu have two matrices, swiglu and geglu three");
    field("norm", &T::norm, "normalisation");
    field("biases", &T::biases, "linear layers have biases");
    field("key_bias", &T::key_bias, "with biases: the key projection has one too");
    field("relative_buckets", &T::relative_buckets, kCount,
          "buckets of relative position biases per head (T5); 0: none");
    field("tied_embeddings", &T::tied_embeddings, "input embedding and output head share weights");
    field("dropout", &T::dropout, "trained with dropout");
    field("causal", &T::causal, "causal attention");
    field("window", &T::window, kCount, "sliding window in tokens, for serving; 0: full attention");
    field("window_layers", &T::window_layers, core::FieldOptions{.minimum = 0, .maximum = 4096},
          "number of layers with the sliding window; 0: all");
    field("mla", &T::mla, "multi-head latent attention");
    field("moe", &T::moe, "mixture of experts in place of the MLP");
    field("towers", &T::towers, "encoders of images or sound");
    field("encoder", &T::encoder,
          "encoder to which every layer attends; the model is then an encoder-decoder");
  }
  static void check(const T& model, core::Problems& problems) {
    if (model.head_dim == 0 && !model.mla && model.hidden % model.heads != 0)
      problems.add("heads", "does not divide hidden", "give head_dim");
    if (model.kv_heads > 0 && model.heads % model.kv_heads != 0)
      problems.add("kv_heads", "does not divide heads");
    if (model.moe && model.moe->dense_layers >= model.layers)
      problems.add("moe", "dense_layers leaves no layer with experts");
    if (model.window_layers > model.layers)
      problems.add("window_layers", "are more than there are layers");
    if (!model.encoder) return;
    if (model.mla || model.moe || !model.towers.empty())
      problems.add("encoder", "goes with neither latent attention nor experts nor towers",
                   "leave mla, moe and towers out");
    const placement::EncoderSpec& e = *model.encoder;
    const int hidden = e.hidden > 0 ? e.hidden : model.hidden;
    const int heads = e.heads > 0 ? e.heads : model.heads;
    if (e.head_dim == 0 && (e.hidden > 0 || e.heads > 0) && hidden % heads != 0)
      problems.add("encoder", "its heads do not divide its hidden size", "give head_dim");
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<placement::MlaSpec>();
extern template const core::StructType& core::struct_type<placement::MoeSpec>();
extern template const core::StructType& core::struct_type<placement::TowerSpec>();
extern template const core::StructType& core::struct_type<placement::StemSpec>();
extern template const core::StructType& core::struct_type<placement::EncoderSpec>();
extern template const core::StructType& core::struct_type<placement::Model>();

}  // namespace railyard
