#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/measured/measured_rows.hpp"
#include "placement/model/model.hpp"
#include "placement/serving/load/closed_loop.hpp"
#include "placement/serving/measured/serving_map.hpp"

namespace railyard::placement::serving {

/// A measured closed-loop run of an engine, and the deployment that reproduces it.
struct ServingRun {
  std::string model{}, cluster{};  ///< names in configs
  std::string group{};             ///< model, machine, engine, formats and version
  /// Replicas that only compute prompts.
  struct PromptPool {
    Deployment deployment{};
    int replicas = 1;
  };
  Deployment deployment{};
  int replicas = 1;                     ///< with this deployment
  std::optional<PromptPool> prefill{};  ///< none: the replicas above also compute prompts
  ClosedLoad load{};                    ///< load of one copy of attention
  double length_share = 1;              ///< mean / longest length; 1: all requests are equally long
  int waiting_clients = 0;  ///< clients in excess of the engine's maximum number of sequences
  /// Most sequences that a copy of attention decodes together; 0: unknown, no limit.
  int max_sequences = 0;
  int frontends = 0;  ///< front ends that use replicas in turn; 0: the least loaded replica is used
  bool has_experts = false;
  bool native_client = false;  ///< perf_analyzer sent the requests, not a script in Python
  double measured_ttft = 0, measured_tpot = 0;  ///< seconds
  [[nodiscard]] int gpus() const {
    return replicas * deployment.gpus() +
           (prefill ? prefill->replicas * prefill->deployment.gpus() : 0);
  }
  /// Clients of all copies of attention together.
  [[nodiscard]] double clients() const {
    return load.concurrency * deployment.attention_dp * replicas;
  }
  /// Output tokens per second and GPU: clients · output / (ttft + (output - 1) · tpot) / GPUs.
  /// Seconds.
  [[nodiscard]] double tokens_per_s_per_gpu(double ttft, double tpot) const;
};

/// Runs, and the rows that are left out.
struct ServingRuns {
  std::vector<ServingRun> runs{};
  std::vector<std::string> left_out{};  ///< "reason: number of rows"
};

/// Runs from rows with the columns of AIConfigurator's silicon_sample.csv: model_path, system,
/// backend, backend_version, gemm_quant_mode, moe_quant_mode, tp_size, pp_size, attention_dp_size,
/// moe_ep_size, redundant_experts, concurrency, isl, osl, silicon_ttft_ms, silicon_tpot_ms. A run
/// without a TTFT is compared by TPOT only.
///
/// If "mode" is disagg, columns with prefill_ and decode_ describe the two pools:
/// prefill_num_workers, prefill_tp_size, ..., decode_num_workers, decode_tp_size, ...;
/// `prefill_token_budget`; prefill_max_sequences and decode_max_sequences (per copy of attention);
/// decode_hold_steps (steps after which SGLang looks for new requests); frontends (each uses the
/// replicas in turn).
///
/// Rules of the map may set these and: attention_format, experts_format, kv_format; length_share
/// (mean length over isl and osl; 1: all are equal); token_budget, or spare_tokens for a budget of
/// one prompt + one token per sequence + spare_tokens; hold_steps, hold_tokens and hold (periodic)
/// for PromptHold; client (perf_analyzer); waiting_clients; expert_scales (once or each_step:
/// Deployment::lays_out_scales). Throws InputError for a text that is not a number or format.
[[nodiscard]] ServingRuns serving_runs(const ServingMap& map,
                                       const std::vector<MeasuredRows>& tables);

}  // namespace railyard::placement::serving
