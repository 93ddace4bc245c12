#pragma once

#include <string>
#include <vector>

#include "placement/mapping/mapping.hpp"

namespace railyard::placement {

/// What is computed again in the backward pass.
enum class LaunchRecompute { none, selective, full };

/// A training job in plain numbers, as launchers and frameworks take it. 0 or "" leaves a thing
/// out.
struct LaunchPlan {
  int tp = 1, pp = 1, cp = 1;
  int dp = 1;                       ///< replicas of a dense layer (experts lie within them)
  int ep = 1;                       ///< divides dp x cp
  int expert_tp = 0;                ///< 0: as tp
  int interleave = 1;               ///< stages per pipeline rank
  int layers = 0;                   ///< of the model (its decoder); needed with interleave above 1
  std::vector<int> stage_layers{};  ///< of each stage, chunk by chunk; empty: equal
  bool even_ends = false;           ///< embedding and loss count as a layer each
  int encoder_layers = 0;           ///< of an encoder-decoder
  int encoder_stages = 0;           ///< of pp, at the front, for the encoder alone
  int zero = 0;                     ///< 0 to 3; 1 is Megatron's distributed optimizer
  int instances = 1;                ///< copies of what is sharded, over the replicas
  bool sequence_parallel = false;
  LaunchRecompute recompute = LaunchRecompute::none;
  int recompute_layers = 0;  ///< with full: of each stage, the first so many; 0: every layer
  bool recompute_norms = false, recompute_act = false, recompute_mla = false;
  int micro_batch = 1;
  int global_batch = 0;
  int sequence_length = 0;   ///< of the decoder, where there is an encoder
  int encoder_sequence = 0;  ///< of the encoder
  bool overlap_grad_reduce = false;
  bool overlap_param_gather = false;
  bool tp_overlap = false;
  bool pp_overlap = false;  ///< of interleaved stages
  bool ep_overlap = false;
  bool offload_optimizer = false;
  bool bf16_moments = false;   ///< of the optimizer; false: fp32
  std::string cp_comm_type{};  ///< p2p, a2a, all_gather or a2a+p2p
  std::string precision{};     ///< bf16 or fp16; "" for fp32

  [[nodiscard]] int gpus() const { return tp * pp * cp * dp; }
};

/// Everything that makes the plan contradict itself, all at once: sizes below 1, ep that does not
/// divide dp x cp, a global batch that dp x micro_batch does not divide, layers that pp x
/// interleave does not divide, ... Throws InputError (with `where` as file) with what would fit.
void check_launch_plan(const LaunchPlan& plan, const std::string& where);

/// The hosts of a mapped job.
struct JobHosts {
  std::vector<std::string> of_rank;  ///< host of each job rank
  std::vector<int> gpu;              ///< its GPU's number there
  std::vector<std::string> hosts;    ///< each once, in the order of their first rank
  std::vector<int> ranks_on;         ///< by host
};

/// `names` by node; "node<i>" where it is empty.
[[nodiscard]] JobHosts hosts_of(const Mapping& mapping, const topology::Cluster& cluster,
                                std::span<const std::string> names = {});

}  // namespace railyard::placement
