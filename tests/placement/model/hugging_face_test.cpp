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
// Published: Kimi K2 has 1.04T parameters (arXiv 2507.20534), GLM-4.5 355B (arXiv 2508.06471; 3.9B
// of them in the layer of multi-token prediction, which is not read).
TEST(HuggingFace, KimiAndGlmHaveTheirPublishedNumberOfParameters) {
  const Model kimi = read(R"({"model_type": "kimi_k2", "num_hidden_layers": 61,
    "hidden_size": 7168, "intermediate_size": 18432, "num_attention_heads": 64,
    "num_key_value_heads": 64, "vocab_size": 163840, "hidden_act": "silu", "kv_lora_rank": 512,
    "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
    "n_routed_experts": 384, "n_shared_experts": 1, "num_experts_per_tok": 8, "n_group": 1,
    "topk_group": 1, "moe_intermediate_size": 2048, "first_k_dense_replace": 1,
    "max_position_embeddings": 131072, "tie_word_embeddings": false})");
  EXPECT_NEAR(static_cast<double>(count_parameters(kimi).total), 1.04e12, 0.02e12);
  EXPECT_EQ(kimi.moe->node_limit, 0);
  const Model glm = read(R"({"model_type": "glm4_moe", "num_hidden_layers": 92,
    "hidden_size": 5120, "intermediate_size": 12288, "num_attention_heads": 96, "head_dim": 128,
    "num_key_value_heads": 8, "vocab_size": 151552, "hidden_act": "silu", "attention_bias": true,
    "n_routed_experts": 160, "n_shared_experts": 1, "num_experts_per_tok": 8, "n_group": 1,
    "topk_group": 1, "moe_intermediate_size": 1536, "first_k_dense_replace": 3,
    "use_qk_norm": true, "max_position_embeddings": 131072, "tie_word_embeddings": false})");
  EXPECT_NEAR(static_cast<double>(count_parameters(glm).total), 351e9, 4e9);
  EXPECT_TRUE(glm.qk_norm);
}

TEST(HuggingFace, GptOssIsTheShippedModel) {
  const Model model = read(R"({"model_type": "gpt_oss", "num_hidden_layers": 36,
    "hidden_size": 2880, "intermediate_size": 2880, "num_attention_heads": 64, "head_dim": 64,
    "num_key_value_heads": 8, "vocab_size": 201088, "hidden_act": "silu", "attention_bias": true,
    "num_local_experts": 128, "num_experts_per_tok": 4, "sliding_window": 128,
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
    "max_position_embeddings": 131072, "tie_word_embeddings": false})");
  expect_same(model, read_model("gpt_oss_120b"));
  EXPECT_EQ(model.window, 128);
  EXPECT_EQ(model.window_layers, 2);
}

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
