#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/config/enum_names.hpp"
#include "placement/serving/step/number_format.hpp"

namespace railyard::placement::serving {

/// Inference engines. They differ in scheduling and in the host's time between steps.
enum class Engine { vllm, sglang, trtllm };

/// True if the batch of a step is chosen during the step before, so that a request misses a step
/// (SGLang's overlap scheduler). Measured runs of vLLM and TensorRT-LLM do not show such a delay.
[[nodiscard]] constexpr bool chooses_ahead(Engine engine) { return engine == Engine::sglang; }

/// True if a step can compute a part of a prompt (chunked prefill): vLLM and SGLang, not
/// TensorRT-LLM by default.
[[nodiscard]] constexpr bool cuts_prompts(Engine engine) { return engine != Engine::trtllm; }
/// True if prompts and decodes share steps. SGLang runs prompts in separate steps, before decodes.
[[nodiscard]] constexpr bool mixes_prompts(Engine engine) { return engine != Engine::sglang; }

/// True if, with a prefill pool, a request first goes to the decode replica. That replica reserves
/// memory and tells the prefill replica where to send the KV cache (SGLang,
/// python/sglang/srt/disaggregation/decode.py: PreallocQueue). vLLM and TensorRT-LLM compute the
/// prompt first.
[[nodiscard]] constexpr bool reserves_before_prompts(Engine engine) {
  return engine == Engine::sglang;
}
/// With a prefill pool the first token arrives with the KV cache. True if the decode replica sends
/// it at admission (SGLang, process_batch_result_prebuilt), false if with the token of its first
/// step.
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

/// Speculative decoding: a draft proposes tokens, and the model verifies them in one step. With
/// acceptance a and k drafted tokens a step produces (1 - a^(k+1)) / (1 - a) tokens on average
/// (Leviathan, Kalman, Matias: Fast Inference from Transformers via Speculative Decoding, ICML
/// 2023, equation 1).
struct Speculation {
  int tokens = 0;         ///< drafted per step; 0: none
  double acceptance = 0;  ///< probability that a drafted token is accepted, below 1

  /// Tokens per step and sequence, mean.
  [[nodiscard]] double tokens_per_step() const {
    double sum = 1, power = 1;
    for (int i = 0; i < tokens; ++i) sum += power *= acceptance;
    return sum;
  }
};

/// Delay new prompts while others decode, so that several of them run in one step.
struct PromptHold {
  int steps = 0;   ///< most decode steps for which prompts wait; 0: no delay
  int tokens = 0;  ///< tokens of a step, decodes included, that end the wait; 0: no such limit
  /// True: steps are counted from the last prompts on, with or without waiting requests (an engine
  /// that looks for requests at intervals: SGLang's scheduler_recv_interval). False: from the first
  /// waiting request on (TensorRT-LLM's batch_wait_timeout_iters and batch_wait_max_tokens_ratio).
  bool is_periodic = false;
};

/// How one replica of a model is split over GPUs, and the settings of its engine. A replica has tp
/// · pp · attention_dp GPUs. The experts of a stage are spread over its tp · attention_dp ranks: ep
/// of these ranks hold different experts, and each expert is cut over tp · attention_dp / ep ranks.
struct Deployment {
  int tp = 1;  ///< of attention and dense layers
  int pp = 1;
  int attention_dp = 1;  ///< copies of attention that share the experts
  int ep = 1;
  /// Redundant copies of popular experts that balance the ranks (expert_balance.hpp). Experts and
  /// copies together must fill the ep ranks evenly.
  int redundant_experts = 0;
  Formats formats{};
  /// Each step converts the layout of the fp8 experts' scales again (scale layout in
  /// step_model.cpp).
  bool lays_out_scales = false;
  Engine engine = Engine::vllm;
  bool graphs = true;       ///< decode steps run as CUDA graphs
  int token_budget = 8192;  ///< tokens of a step, prompts and decodes together
  int max_sequences = 256;  ///< most running sequences per copy of attention
  int block_tokens = 16;    ///< tokens of a KV cache block
  PromptHold hold{};
  Speculation speculation{};
  double memory_share = 0.9;  ///< share of a GPU's memory that the engine may use
  double swap_bytes = 0;      ///< host memory per GPU for KV caches of preempted sequences; 0: none

  [[nodiscard]] int gpus() const { return copy_gpus() * attention_dp; }
  /// GPUs of one copy of attention, which has its own requests and KV cache.
  [[nodiscard]] int copy_gpus() const { return tp * pp; }
  /// Ranks that share a layer's experts.
  [[nodiscard]] int expert_ranks() const { return tp * attention_dp; }
  /// Ranks over which one expert is cut.
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
