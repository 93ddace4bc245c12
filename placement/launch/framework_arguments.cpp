#include "placement/launch/framework_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placement/launch/pipeline_layout.hpp"

namespace railyard::placement {

namespace {

/// Collects arguments, one line each: "--flag value", or "--flag".
class Lines {
 public:
  void add(std::string_view flag) { lines_.emplace_back(flag); }
  void add(std::string_view flag, int value) {
    lines_.push_back(fmt::format("{} {}", flag, value));
  }
  void add_if(bool is_on, std::string_view flag) {
    if (is_on) add(flag);
  }
  void add_above(int least, std::string_view flag, int value) {
    if (value > least) add(flag, value);
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
};

void pipeline_lines(const LaunchPlan& plan, Lines& out) {
  const int units = plan.layers + (plan.even_ends ? 2 : 0);
  // A list of one stage's layers is not needed.
  if (!plan.stage_layers.empty() && plan.pp > 1)
    out.add(
        fmt::format("--pipeline-model-parallel-layout \"{}\"", to_layout_text(plan.stage_layers)));
  else if (plan.interleave > 1)
    out.add("--num-layers-per-virtual-pipeline-stage", units / (plan.pp * plan.interleave));
  out.add_if(plan.even_ends, "--account-for-embedding-in-pipeline-split");
  out.add_if(plan.even_ends, "--account-for-loss-in-pipeline-split");
  out.add_if(plan.interleave > 1 && !plan.pp_overlap, "--no-overlap-p2p-communication");
  if (plan.encoder_layers > 0) {
    out.add("--encoder-num-layers", plan.encoder_layers);
    out.add("--decoder-num-layers", plan.layers);
  } else {
    out.add_above(0, "--num-layers", plan.layers);
  }
}

void sharding_lines(const LaunchPlan& plan, Lines& out) {
  out.add_if(plan.zero >= 1, "--use-distributed-optimizer");
  if (plan.zero >= 2) {
    out.add("--use-megatron-fsdp");
    out.add(plan.zero == 2 ? "--data-parallel-sharding-strategy optim_grads"
                           : "--data-parallel-sharding-strategy optim_grads_params");
    out.add("--no-gradient-accumulation-fusion");
    out.add("--ckpt-format fsdp_dtensor");
  }
  out.add_above(1, "--num-distributed-optimizer-instances", plan.instances);
  out.add_if(plan.overlap_grad_reduce, "--overlap-grad-reduce");
  out.add_if(plan.overlap_param_gather, "--overlap-param-gather");
  out.add_if(plan.offload_optimizer, "--optimizer-cpu-offload");
  out.add_if(plan.offload_optimizer || plan.bf16_moments, "--use-precision-aware-optimizer");
  out.add_if(plan.bf16_moments, "--exp-avg-dtype bf16");
  out.add_if(plan.bf16_moments, "--exp-avg-sq-dtype bf16");
}

void recompute_lines(const LaunchPlan& plan, Lines& out) {
  const bool core = plan.recompute == LaunchRecompute::selective;
  std::string modules;
  if (plan.recompute_norms) modules += " layernorm";
  if (plan.recompute_act) modules += " moe_act";
  if (plan.recompute_mla) modules += " mla_up_proj";
  out.add_if(core || !modules.empty(), "--recompute-granularity selective");
  // The attention core is Megatron-LM's default module.
  if (!modules.empty()) out.add("--recompute-modules" + (core ? " core_attn" + modules : modules));
  if (plan.recompute != LaunchRecompute::full) return;
  out.add("--recompute-granularity full");
  out.add(plan.recompute_layers > 0 ? "--recompute-method block" : "--recompute-method uniform");
  // Megatron-LM counts layers per chunk.
  out.add("--recompute-num-layers", std::max(1, plan.recompute_layers / plan.interleave));
}

}  // namespace

std::vector<std::string> megatron_arguments(const LaunchPlan& plan) {
  Lines out;
  out.add("--tensor-model-parallel-size", plan.tp);
  out.add("--pipeline-model-parallel-size", plan.pp);
  pipeline_lines(plan, out);
  out.add_above(1, "--context-parallel-size", plan.cp);
  if (plan.cp > 1 && !plan.cp_comm_type.empty()) out.add("--cp-comm-type " + plan.cp_comm_type);
  out.add_above(1, "--expert-model-parallel-size", plan.ep);
  out.add_above(0, "--expert-tensor-parallel-size", plan.expert_tp);
  out.add_if(plan.ep_overlap, "--overlap-moe-expert-parallel-comm");
  out.add_if(plan.sequence_parallel, "--sequence-parallel");
  out.add_if(plan.tp_overlap, "--tp-comm-overlap");
  sharding_lines(plan, out);
  recompute_lines(plan, out);
  out.add("--micro-batch-size", plan.micro_batch);
  out.add_above(0, "--global-batch-size", plan.global_batch);
  if (plan.encoder_sequence > 0) {
    out.add("--encoder-seq-length", plan.encoder_sequence);
    out.add("--decoder-seq-length", plan.sequence_length);
  } else {
    out.add_above(0, "--seq-length", plan.sequence_length);
  }
  if (!plan.precision.empty()) out.add("--" + plan.precision);
  return out.take();
}

std::string deepspeed_config(const LaunchPlan& plan) {
  std::string text = "{\n";
  if (plan.global_batch > 0) {
    text += fmt::format("  \"train_batch_size\": {},\n", plan.global_batch);
    text += fmt::format("  \"gradient_accumulation_steps\": {},\n",
                        plan.global_batch / (plan.micro_batch * plan.dp));
  }
  text += fmt::format("  \"train_micro_batch_size_per_gpu\": {},\n", plan.micro_batch);
  if (!plan.precision.empty())
    text += fmt::format("  \"{}\": {{\"enabled\": true}},\n", plan.precision);
  // AutoTP is part of DeepSpeed's engine; the program gives a PipelineModule its sizes.
  if (plan.tp > 1 && plan.pp == 1)
    text += fmt::format("  \"tensor_parallel\": {{\"autotp_size\": {}}},\n", plan.tp);
  text += fmt::format("  \"zero_optimization\": {{\"stage\": {}, \"overlap_comm\": {}}}\n}}\n",
                      plan.zero, plan.overlap_grad_reduce);
  return text;
}

std::string torchtitan_config(const LaunchPlan& plan) {
  const bool shards = plan.zero > 0;
  std::string text = "[parallelism]\n";
  text += fmt::format("data_parallel_replicate_degree = {}\n", shards ? 1 : plan.dp);
  text += fmt::format("data_parallel_shard_degree = {}\n", shards ? plan.dp : 1);
  text += fmt::format("fsdp_reshard_after_forward = \"{}\"\n", plan.zero == 3 ? "always" : "never");
  text += fmt::format("tensor_parallel_degree = {}\n", plan.tp);
  text += fmt::format("pipeline_parallel_degree = {}\n", plan.pp);
  if (plan.pp > 1) {
    text += fmt::format("pipeline_parallel_schedule = \"{}\"\n",
                        plan.interleave > 1 ? "Interleaved1F1B" : "1F1B");
  }
  if (plan.pp > 1) {
    // By default TorchTitan gives the first and the last stage one layer less.
    const int ends = plan.even_ends ? 1 : 0;
    text += fmt::format("pipeline_parallel_first_stage_less_layers = {}\n", ends);
    text += fmt::format("pipeline_parallel_last_stage_less_layers = {}\n", ends);
  }
  if (plan.interleave > 1) {
    text += fmt::format("pipeline_parallel_layers_per_stage = {}\n",
                        (plan.layers + (plan.even_ends ? 2 : 0)) / (plan.pp * plan.interleave));
  }
  text += fmt::format("context_parallel_degree = {}\n", plan.cp);
  // Keys and values are exchanged by all-to-all, or gathered (the default).
  if (plan.cp > 1 && plan.cp_comm_type == "p2p")
    text += "context_parallel_rotate_method = \"alltoall\"\n";
  text += fmt::format("expert_parallel_degree = {}\n", plan.ep);
  // With a pipeline the local batch is divided into micro-batches. Without one, batches are
  // accumulated up to the global batch.
  const bool piped = plan.pp > 1 && plan.global_batch > 0;
  text += fmt::format("\n[training]\nlocal_batch_size = {}\n",
                      piped ? plan.global_batch / plan.dp : plan.micro_batch);
  if (plan.global_batch > 0) text += fmt::format("global_batch_size = {}\n", plan.global_batch);
  if (plan.sequence_length > 0) text += fmt::format("seq_len = {}\n", plan.sequence_length);
  const char* mode = plan.recompute == LaunchRecompute::none        ? "none"
                     : plan.recompute == LaunchRecompute::selective ? "selective"
                                                                    : "full";
  text += fmt::format("\n[activation_checkpoint]\nmode = \"{}\"\n", mode);
  return text;
}

}  // namespace railyard::placement
