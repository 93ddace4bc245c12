#include "placement/model/hugging_face.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostic.hpp"
#include "placement/model/parameters.hpp"

namespace railyard::placement {
namespace {

using ::testing::HasSubstr;

Model read(std::string_view text) {
  return read_hugging_face(core::parse_json(text, "config.json"), "config.json");
}

/// The shapes that time and memory depend on.
void expect_same(const Model& a, const Model& b) {
  EXPECT_EQ(a.layers, b.layers);
  EXPECT_EQ(a.hidden, b.hidden);
  EXPECT_EQ(a.ffn, b.ffn);
  EXPECT_EQ(a.heads, b.heads);
  EXPECT_EQ(a.kv(), b.kv());
  EXPECT_EQ(a.key_dim(), b.key_dim());
  EXPECT_EQ(a.value_dim(), b.value_dim());
  EXPECT_EQ(a.vocabulary, b.vocabulary);
  EXPECT_EQ(a.mlp, b.mlp);
  EXPECT_EQ(a.norm, b.norm);
  EXPECT_EQ(a.biases, b.biases);
  EXPECT_EQ(a.qk_norm, b.qk_norm);
  EXPECT_EQ(a.tied_embeddings, b.tied_embeddings);
  EXPECT_EQ(count_parameters(a).total, count_parameters(b).total);
  EXPECT_EQ(count_parameters(a).active, count_parameters(b).active);
}

TEST(HuggingFace, LlamaIsTheShippedModel) {
  const Model model = read(R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"],
    "_name_or_path": "meta-llama/Llama-3.1-8B", "num_hidden_layers": 32, "hidden_size": 4096,
    "intermediate_size": 14336, "num_attention_heads": 32, "num_key_value_heads": 8,
    "vocab_size": 128256, "hidden_act": "silu", "rope_theta": 500000.0,
    "rope_scaling": {"factor": 8.0, "original_max_position_embeddings": 8192},
    "max_position_embeddings": 131072, "tie_word_embeddings": false})");
  expect_same(model, read_model("llama3_8b"));
  EXPECT_EQ(model.sequence, 8192);
  EXPECT_EQ(model.rotary_base, 500'000);
  EXPECT_EQ(model.name, "meta-llama/Llama-3.1-8B");
}

TEST(HuggingFace, ExpertsOfMixtralAndQwen) {
  expect_same(read(R"({"model_type": "mixtral", "num_hidden_layers": 32, "hidden_size": 4096,
    "intermediate_size": 14336, "num_attention_heads": 32, "num_key_value_heads": 8,
    "vocab_size": 32000, "num_local_experts": 8, "num_experts_per_tok": 2,
    "max_position_embeddings": 32768, "sliding_window": null})"),
              read_model("mixtral_8x7b"));
  expect_same(read(R"({"model_type": "qwen3_moe", "num_hidden_layers": 48, "hidden_size": 2048,
    "intermediate_size": 6144, "moe_intermediate_size": 768, "num_attention_heads": 32,
    "num_key_value_heads": 4, "head_dim": 128, "vocab_size": 151936, "num_experts": 128,
    "num_experts_per_tok": 8, "max_position_embeddings": 40960, "tie_word_embeddings": false})"),
              read_model("qwen3_30b_a3b"));
}

TEST(HuggingFace, LatentAttentionOfDeepSeek) {
  const Model model = read(R"({"model_type": "deepseek_v3", "num_hidden_layers": 61,
    "hidden_size": 7168, "intermediate_size": 18432, "moe_intermediate_size": 2048,
    "num_attention_heads": 128, "num_key_value_heads": 128, "vocab_size": 129280,
    "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
    "v_head_dim": 128, "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8,
    "first_k_dense_replace": 3, "n_group": 8, "topk_group": 4, "hidden_act": "silu",
    "rope_scaling": {"original_max_position_embeddings": 4096},
    "max_position_embeddings": 163840})");
  expect_same(model, read_model("deepseek_v3"));
  EXPECT_EQ(model.moe->node_limit, 4);
  EXPECT_EQ(model.sequence, 4096);
}

// 50257 x 768 + 1024 x 768 + 12 (12 x 768^2 + 13 x 768) + 2 x 768 = 124,439,808.
TEST(HuggingFace, Gpt2HasItsPublishedNumberOfParameters) {
  const Model model = read(R"({"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12,
    "vocab_size": 50257, "n_positions": 1024, "activation_function": "gelu_new"})");
  EXPECT_EQ(count_parameters(model).total, 124'439'808);
}

TEST(HuggingFace, WhatIsMissingOrUnknownIsNamed) {
  const auto message = [](std::string_view text) {
    try {
      (void)read(text);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message(R"({"model_type": "mamba"})"), HasSubstr("'mamba' is not a supported"));
  EXPECT_THAT(message(R"({"model_type": "llama", "hidden_size": 64})"),
              HasSubstr("has no 'num_hidden_layers'"));
  EXPECT_THAT(message(R"({"model_type": "llama", "hidden_size": 64})"),
              HasSubstr("has no 'vocab_size'"));
  EXPECT_THAT(message(R"({"model_type": "llama", "hidden_size": "wide"})"),
              HasSubstr("not a number"));
}

TEST(HuggingFace, AModelFileOfOursIsNotOne) {
  EXPECT_FALSE(is_hugging_face(core::parse_json(R"({"name": "a", "layers": 2})", "a")));
  EXPECT_TRUE(is_hugging_face(core::parse_json(R"({"model_type": "llama"})", "a")));
}

}  // namespace
}  // namespace railyard::placement
