#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/config/enum_names.hpp"
#include "placement/serving/step/number_format.hpp"

namespace railyard::placement::serving {

/// Inference engines. They differ in the host's time between steps.
enum class Engine { vllm, sglang, trtllm };

/// A step's batch is chosen while the step before runs, so that a request misses a step: SGLang's
/// overlap scheduler. Runs of vLLM and TensorRT-LLM do not show such a delay.
[[nodiscard]] constexpr bool chooses_ahead(Engine engine) { return engine == Engine::sglang; }

/// A step computes a part of a prompt beside other work (chunked prefill): vLLM and SGLang, not
/// TensorRT-LLM by default.
[[nodiscard]] constexpr bool cuts_prompts(Engine engine) { return engine != Engine::trtllm; }
/// Prompts run in the steps of decodes; SGLang's run in steps of their own, before them.
[[nodiscard]] constexpr bool mixes_prompts(Engine engine) { return engine != Engine::sglang; }

/// With pools for prompts and decodes the replica that decodes gets a request first: it reserves
/// memory and tells the other where the KV cache shall go (SGLang,
/// python/sglang/srt/disaggregation/decode.py: PreallocQueue). vLLM and TensorRT-LLM compute the
/// prompt first.
[[nodiscard]] constexpr bool reserves_before_prompts(Engine engine) {
  return engine == Engine::sglang;
}
/// The replica that decodes sends the first token, which came with the KV cache, when it admits a
/// request (SGLang, process_batch_result_prebuilt), else with its own first step's token.
[[nodiscard]] constexpr bool first_token_on_admission(Engine engine) {
  return engine == Engine::sglang;
}

/// Number formats of a replica. Embedding and head stay in bf16.
struct Formats {
  NumberFormat attention = NumberFormat::bf16;  ///< projections of attention
  NumberFormat mlp = NumberFormat::bf16;        ///< dense layers and shared experts
  NumberFormat experts = NumberFormat::bf16;    ///< routed experts
  NumberFormat kv = NumberFormat::bf16;         ///< KV cache
};

/// Tokens that a draft proposes and the model verifies in one step. With acceptance a and k drafted
/// tokens a step gives (1 - a^(k+1)) / (1 - a) tokens on average (Leviathan, Kalman, Matias: Fast
/// Inference from Transformers via Speculative Decoding, ICML 2023, equation 1).
struct Speculation {
  int tokens = 0;         ///< drafted per step; 0: none
  double acceptance = 0;  ///< probability that a drafted token is accepted, below 1

  /// Tokens that a step gives a sequence.
  [[nodiscard]] double tokens_per_step() const {
    double sum = 1, power = 1;
    for (int i = 0; i < tokens; ++i) sum += power *= acceptance;
    return sum;
  }
};

/// Hold new prompts while others decode, so that several run in one step.
struct PromptHold {
  int steps = 0;   ///< decode steps that they wait at most; 0: they do not wait
  int tokens = 0;  ///< tokens of a step, decodes included, that end the wait; 0: none
  /// The steps count from the last prompts on, whether a request waits or not (an engine that looks
  /// for requests only so often: SGLang's scheduler_recv_interval). Else from the first request
  /// that waits (TensorRT-LLM's batch_wait_timeout_iters and batch_wait_max_tokens_ratio).
  bool is_periodic = false;
};

/// How one replica of a model is spread over GPUs, and the settings of its engine. A replica has tp
/// · pp · attention_dp GPUs. Experts are spread over the tp · attention_dp ranks of a stage: ep of
/// these hold different experts, and each expert is divided over tp · attention_dp / ep ranks.
struct Deployment {
  int tp = 1;  ///< of attention and dense layers
  int pp = 1;
  int attention_dp = 1;  ///< copies of attention that share the experts
  int ep = 1;
  /// Further copies of popular experts, so that ranks have equal loads (expert_balance.hpp). The
  /// experts and these fill the ep ranks evenly.
  int redundant_experts = 0;
  Formats formats{};
  /// Each step lays out the scales of fp8 experts anew (scale_layout in step_model.cpp).
  bool lays_out_scales = false;
  Engine engine = Engine::vllm;
  bool graphs = true;       ///< decode steps run as CUDA graphs
  int token_budget = 8192;  ///< tokens of a step, prompts and decodes together
  int max_sequences = 256;  ///< running at the same time, per copy of attention
  int block_tokens = 16;    ///< of a block of the KV cache
  PromptHold hold{};
  Speculation speculation{};
  double memory_share = 0.9;  ///< of a GPU's memory that the engine uses
  double swap_bytes = 0;      ///< host memory per GPU for KV caches of preempted sequences; 0: none

  [[nodiscard]] int gpus() const { return copy_gpus() * attention_dp; }
  /// Of one copy of attention, which has requests and a KV cache of its own.
  [[nodiscard]] int copy_gpus() const { return tp * pp; }
  /// Ranks that share a layer's experts.
  [[nodiscard]] int expert_ranks() const { return tp * attention_dp; }
  /// Ranks that an expert is cut over.
  [[nodiscard]] int expert_tp() const { return expert_ranks() / ep; }
};

/// "tp 4", "tp 4 pp 2 ep 4", "tp 1 dp 32 ep 32 redundant 32".
[[nodiscard]] std::string split_text(const Deployment& deployment);

}  // namespace railyard::placement::serving

namespace railyard {

template <>
struct core::EnumNames<placement::serving::Engine> {
  using E = placement::serving::Engine;
  static constexpr std::array<std::pair<E, std::string_view>, 3> table{
      {{E::vllm, "vllm"}, {E::sglang, "sglang"}, {E::trtllm, "trtllm"}}};
};

}  // namespace railyard
