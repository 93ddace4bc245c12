#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/measured/measured_rows.hpp"
#include "placement/model/model.hpp"
#include "placement/serving/load/closed_loop.hpp"
#include "placement/serving/measured/serving_map.hpp"

namespace railyard::placement::serving {

/// A measured closed-loop run of an engine, and the deployment that represents it.
struct ServingRun {
  std::string model{}, cluster{};  ///< names in configs
  std::string group{};             ///< model, machine, engine, formats and version
  /// Replicas that compute prompts alone.
  struct PromptPool {
    Deployment deployment{};
    int replicas = 1;
  };
  Deployment deployment{};
  int replicas = 1;                     ///< with this deployment
  std::optional<PromptPool> prefill{};  ///< none: these replicas compute prompts, too
  ClosedLoad load{};                    ///< of one copy of attention
  double length_share = 1;              ///< mean length over the longest; 1: all are equally long
  int waiting_clients = 0;              ///< clients beyond the sequences that the engine runs
  int max_sequences = 0;  ///< that a copy of attention decodes at once; 0: not known, all
  int frontends = 0;      ///< that send requests to replicas in turn; 0: to the one with the fewest
  bool has_experts = false;
  bool native_client = false;  ///< perf_analyzer sent the requests, not a script in Python
  double measured_ttft = 0, measured_tpot = 0;  ///< seconds
  [[nodiscard]] int gpus() const {
    return replicas * deployment.gpus() +
           (prefill ? prefill->replicas * prefill->deployment.gpus() : 0);
  }
  /// Clients of all copies of attention.
  [[nodiscard]] double clients() const {
    return load.concurrency * deployment.attention_dp * replicas;
  }
  /// Output tokens per second and GPU, from the closed loop's identity.
  [[nodiscard]] double tokens_per_s_per_gpu(double ttft, double tpot) const;
};

struct ServingRuns {
  std::vector<ServingRun> runs{};
  std::vector<std::string> left_out{};  ///< "reason: so many rows"
};

/// Rows with the columns of AIConfigurator's silicon_sample.csv: model_path, system, backend,
/// backend_version, gemm_quant_mode, moe_quant_mode, tp_size, pp_size, attention_dp_size,
/// moe_ep_size, redundant_experts, concurrency, isl, osl, silicon_ttft_ms, silicon_tpot_ms. Where
/// "mode" is disagg, the sizes of the two pools are in the columns prefill_num_workers,
/// prefill_tp_size, ... and decode_num_workers, decode_tp_size, ...; `prefill_token_budget` is the
/// budget of the prefill pool, prefill_max_sequences and decode_max_sequences the most sequences of
/// a copy of attention, decode_hold_steps the steps between which SGLang looks for requests, and
/// frontends those that send requests to replicas in turn. A run without a TTFT is compared by TPOT
/// alone. Rules of the map may set these, and attention_format, experts_format, kv_format,
/// length_share (mean length over isl and osl; 1 means that all are equal), token_budget, or
/// spare_tokens for a budget of a prompt, a token per sequence and so many more, hold_steps,
/// hold_tokens and hold (periodic) for PromptHold, client (perf_analyzer), waiting_clients, and
/// expert_scales (once or each_step: Deployment::lays_out_scales). Throws InputError for a text
/// that is no number or format.
[[nodiscard]] ServingRuns serving_runs(const ServingMap& map,
                                       const std::vector<MeasuredRows>& tables);

}  // namespace railyard::placement::serving
