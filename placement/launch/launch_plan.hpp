#pragma once

#include <string>
#include <vector>

#include "placement/mapping/mapping.hpp"

namespace railyard::placement {

/// What the backward pass recomputes.
enum class LaunchRecompute { none, selective, full };

/// A training job in the terms of launchers and frameworks. 0 or "" means not set.
struct LaunchPlan {
  int tp = 1, pp = 1, cp = 1;
  int dp = 1;                       ///< replicas of dense layers (experts are spread within them)
  int ep = 1;                       ///< divides dp x cp
  int expert_tp = 0;                ///< 0: equal to tp
  int interleave = 1;               ///< stages per pipeline rank
  int layers = 0;                   ///< layers of the model (of its decoder); required with
                                    ///< interleave above 1
  std::vector<int> stage_layers{};  ///< layers of each stage, chunk by chunk; empty: equal
  bool even_ends = false;           ///< embedding and loss count as a layer each
  int encoder_layers = 0;           ///< layers of an encoder-decoder's encoder
  int encoder_stages = 0;           ///< the first stages of pp, for the encoder only
  int zero = 0;                     ///< 0 to 3; 1 is Megatron's distributed optimizer
  int instances = 1;                ///< copies of the sharded state over the replicas
  bool sequence_parallel = false;
  LaunchRecompute recompute = LaunchRecompute::none;
  int recompute_layers = 0;  ///< with full: the first layers of each stage; 0: every layer
  bool recompute_norms = false, recompute_act = false, recompute_mla = false;
  int micro_batch = 1;
  int global_batch = 0;
  int sequence_length = 0;   ///< of the decoder, if there is an encoder
  int encoder_sequence = 0;  ///< of the encoder
  bool overlap_grad_reduce = false;
  bool overlap_param_gather = false;
  bool tp_overlap = false;
  bool pp_overlap = false;  ///< of interleaved stages
  bool ep_overlap = false;
  bool offload_optimizer = false;
  bool bf16_moments = false;   ///< optimizer moments; false: fp32
  std::string cp_comm_type{};  ///< p2p, a2a, all_gather or a2a+p2p
  std::string precision{};     ///< bf16 or fp16; "" for fp32

  [[nodiscard]] int gpus() const { return tp * pp * cp * dp; }
};

/// Throws InputError (with `where` as file) that lists every contradiction in the plan, each with a
/// valid value: sizes below 1, ep that does not divide dp x cp, a global batch that dp x
/// micro_batch does not divide, layers that pp x interleave does not divide, ...
void check_launch_plan(const LaunchPlan& plan, const std::string& where);

/// The hosts of a mapped job.
struct JobHosts {
  std::vector<std::string> of_rank;  ///< host of each job rank
  std::vector<int> gpu;              ///< by rank: number of its GPU on the host
  std::vector<std::string> hosts;    ///< distinct hosts, in the order of their first rank
  std::vector<int> ranks_on;         ///< number of ranks on each host
};

/// The hosts of a mapping. `names`: host names by node; "node<i>" if empty.
[[nodiscard]] JobHosts hosts_of(const Mapping& mapping, const topology::Cluster& cluster,
                                std::span<const std::string> names = {});

}  // namespace railyard::placement
