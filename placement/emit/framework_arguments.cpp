#include "placement/emit/framework_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace railyard::placement {

std::vector<std::string> megatron_arguments(const LaunchPlan& plan) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view flag, int value) {
    out.push_back(fmt::format("{} {}", flag, value));
  };
  add("--tensor-model-parallel-size", plan.tp);
  add("--pipeline-model-parallel-size", plan.pp);
  if (plan.interleave > 1) {
    add("--num-layers-per-virtual-pipeline-stage", plan.layers / (plan.pp * plan.interleave));
  }
  if (plan.layers > 0) add("--num-layers", plan.layers);
  if (plan.cp > 1) add("--context-parallel-size", plan.cp);
  if (plan.cp > 1 && !plan.cp_comm_type.empty())
    out.push_back("--cp-comm-type " + plan.cp_comm_type);
  if (plan.ep > 1) add("--expert-model-parallel-size", plan.ep);
  if (plan.expert_tp > 0) add("--expert-tensor-parallel-size", plan.expert_tp);
  if (plan.sequence_parallel) out.emplace_back("--sequence-parallel");
  if (plan.zero == 1) out.emplace_back("--use-distributed-optimizer");
  if (plan.zero >= 2) {
    out.emplace_back("--use-megatron-fsdp");
    out.emplace_back(plan.zero == 2 ? "--data-parallel-sharding-strategy optim_grads"
                                    : "--data-parallel-sharding-strategy optim_grads_params");
  }
  if (plan.overlap_grad_reduce) out.emplace_back("--overlap-grad-reduce");
  if (plan.overlap_param_gather) out.emplace_back("--overlap-param-gather");
  if (plan.recompute == LaunchRecompute::selective)
    out.emplace_back("--recompute-granularity selective");
  if (plan.recompute == LaunchRecompute::full) {
    out.emplace_back("--recompute-granularity full");
    out.emplace_back(plan.recompute_layers > 0 ? "--recompute-method block"
                                               : "--recompute-method uniform");
    add("--recompute-num-layers", std::max(1, plan.recompute_layers));
  }
  add("--micro-batch-size", plan.micro_batch);
  if (plan.global_batch > 0) add("--global-batch-size", plan.global_batch);
  if (plan.sequence_length > 0) add("--seq-length", plan.sequence_length);
  if (!plan.precision.empty()) out.push_back("--" + plan.precision);
  return out;
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
  if (plan.interleave > 1) {
    text += fmt::format("pipeline_parallel_layers_per_stage = {}\n",
                        plan.layers / (plan.pp * plan.interleave));
  }
  text += fmt::format("context_parallel_degree = {}\n", plan.cp);
  text += fmt::format("expert_parallel_degree = {}\n", plan.ep);
  // A pipeline cuts its local batch into micro-batches; without one it is accumulated up to the
  // global batch.
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
