#include "placement/launch/job_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "placement/launch/fill_in.hpp"
#include "placement/launch/framework_arguments.hpp"
#include "placement/launch/megatron_model.hpp"
#include "placement/strategy/stages.hpp"

namespace railyard::placement {
namespace {

LaunchRecompute launch_recompute(Recompute recompute) {
  switch (recompute) {
    case Recompute::none: return LaunchRecompute::none;
    case Recompute::selective: return LaunchRecompute::selective;
    case Recompute::full: break;
  }
  return LaunchRecompute::full;
}

Recompute recompute_of(LaunchRecompute recompute) {
  switch (recompute) {
    case LaunchRecompute::none: return Recompute::none;
    case LaunchRecompute::selective: return Recompute::selective;
    case LaunchRecompute::full: break;
  }
  return Recompute::full;
}

// Names of Megatron-LM's --cp-comm-type.
std::string cp_comm_type(ContextKind kind) {
  if (kind == ContextKind::ring) return "p2p";
  return kind == ContextKind::ulysses ? "a2a" : "all_gather";
}

ContextKind context_of(const std::string& cp_comm_type) {
  if (cp_comm_type == "a2a") return ContextKind::ulysses;
  return cp_comm_type == "all_gather" ? ContextKind::all_gather : ContextKind::ring;
}

std::string megatron_file(const Job& job, const Strategy& s) {
  std::vector<std::string> out = megatron_arguments(launch_plan(job, s));
  for (std::string& line : megatron_model_arguments(job))
    if (std::ranges::find(out, line) == out.end()) out.push_back(std::move(line));
  // Delayed scaling, the default recipe, supports neither (transformer_config.py).
  if (job.precision == Precision::fp8 && (s.recompute_norms || s.recompute_act))
    out.emplace_back("--fp8-recipe blockwise");
  std::string text;
  for (const std::string& line : out) {
    // Quote arguments that a shell would interpret.
    const std::size_t bracket = line.find('(');
    text += bracket == std::string::npos
                ? line + "\n"
                : fmt::format("{}\"{}\"\n", line.substr(0, bracket), line.substr(bracket));
  }
  return text;
}

std::string deepspeed_file(const Job& job, const Strategy& s) {
  std::string text = deepspeed_config(launch_plan(job, s));
  std::string more;
  if (s.offload_optimizer) more += ", \"offload_optimizer\": {\"device\": \"cpu\"}";
  if (s.offload_weights) more += ", \"offload_param\": {\"device\": \"cpu\"}";
  if (s.shard_group > 0) more += fmt::format(", \"mics_shard_size\": {}", s.shard_group);
  text.insert(text.rfind("}\n}"), more);
  return text;
}

/// The section by which TorchTitan selects a model, with placeholders.
std::string torchtitan_model(const Job& job) {
  std::string text = fill_in_comment(
      {{"NAME, FLAVOR", "the model among those of TorchTitan (for example llama3 and 8B)"},
       {"HF_ASSETS", "folder with its tokenizer"},
       {"dataset, [optimizer], [lr_scheduler], [checkpoint]", "TorchTitan's defaults as written"}});
  text += "[model]\nname = \"NAME\"\nflavor = \"FLAVOR\"\nhf_assets_path = \"HF_ASSETS\"\n";
  if (job.precision == Precision::fp8) text += "converters = [\"quantize.linear.float8\"]\n";
  if (job.precision == Precision::mxfp8) text += "converters = [\"quantize.linear.mx\"]\n";
  return text + "\n";
}

std::string torchtitan_file(const Job& job, const Strategy& s) {
  std::string text = torchtitan_config(launch_plan(job, s));
  if (s.schedule == PipelineSchedule::gpipe && s.pp > 1) {
    const std::string usual = "\"1F1B\"";
    text.replace(text.find(usual), usual.size(), "\"GPipe\"");
  }
  if (s.shard_group > 0 && s.zero > 0) {
    const auto set = [&](std::string_view key, int value) {
      const std::size_t at = text.find(key), end = text.find('\n', at);
      text.replace(at, end - at, fmt::format("{} = {}", key, value));
    };
    set("data_parallel_replicate_degree", s.dp * s.cp / s.shard_group);
    set("data_parallel_shard_degree", std::max(1, s.shard_group / s.cp));
  }
  std::string more;
  if (s.etp > 1) more += fmt::format("expert_tensor_parallel_degree = {}\n", s.etp);
  if (s.tp_overlap) more += "enable_async_tensor_parallel = true\n";
  if (s.pp > 1) more += fmt::format("pipeline_parallel_microbatch_size = {}\n", s.micro_batch);
  text.insert(text.find("\n[training]"), more);
  std::string training = fmt::format("steps = {}\n", training_steps(job));
  if (s.offload_weights) training += "enable_cpu_offload = true\n";
  if (job.precision == Precision::fp32) training += "mixed_precision_param = \"float32\"\n";
  text.insert(text.find("\n[activation_checkpoint]"), training);
  // torch.compile provides asynchronous tensor parallelism and fused kernels.
  if (s.tp_overlap || job.kernels == KernelStyle::fused) text += "\n[compile]\nenable = true\n";
  return torchtitan_model(job) + text;
}

}  // namespace

std::string_view to_text(Framework framework) {
  switch (framework) {
    case Framework::megatron: return "Megatron-LM";
    case Framework::deepspeed: return "DeepSpeed";
    case Framework::torchtitan: break;
  }
  return "TorchTitan";
}

LaunchPlan launch_plan(const Job& job, const Strategy& s) {
  LaunchPlan plan{.tp = s.tp,
                  .pp = s.pp,
                  .cp = s.cp,
                  .dp = s.dp,
                  .ep = s.ep,
                  .expert_tp = job.model.moe ? s.etp : 0,
                  .interleave = s.interleave,
                  .layers = job.model.layers,
                  .stage_layers = s.layers,
                  .even_ends = s.even_ends,
                  .encoder_layers = job.model.encoder ? job.model.encoder->layers : 0,
                  .encoder_stages = s.tower_stages,
                  .zero = s.zero,
                  .instances = s.zero == 1 ? s.replicas() / s.shards() : 1,
                  .sequence_parallel = s.sequence_parallel,
                  .recompute = launch_recompute(s.recompute),
                  .recompute_layers = s.recompute_layers,
                  .recompute_norms = s.recompute_norms,
                  .recompute_act = s.recompute_act,
                  .recompute_mla = s.recompute_mla,
                  .micro_batch = s.micro_batch,
                  .global_batch = job.batch,
                  .sequence_length = job.sequence,
                  .encoder_sequence = job.model.encoder ? job.model.encoder->tokens : 0,
                  .overlap_grad_reduce = s.dp_overlap,
                  .overlap_param_gather = s.dp_overlap && s.zero > 0,
                  .tp_overlap = s.tp_overlap,
                  .pp_overlap = s.pp_overlap,
                  .ep_overlap = s.ep_overlap,
                  .offload_optimizer = s.offload_optimizer,
                  .bf16_moments = job.moments == MomentType::bf16};
  // Unequal stages are listed.
  const int units = job.model.layers + (s.even_ends ? 2 : 0), chunks = s.pp * s.interleave;
  if (s.layers.empty() && s.tower_stages == 0 && units % chunks != 0) {
    for (int chunk = 0; chunk < chunks; ++chunk)
      plan.stage_layers.push_back(chunk_layers(job.model, s, chunk).total());
    plan.even_ends = false;
  }
  if (s.cp > 1) plan.cp_comm_type = cp_comm_type(s.context);
  if (job.precision == Precision::fp16) plan.precision = "fp16";
  if (job.precision == Precision::bf16 || is_narrow(job.precision)) plan.precision = "bf16";
  return plan;
}

Strategy strategy_of(const LaunchPlan& plan) {
  Strategy s{.tp = plan.tp,
             .pp = plan.pp,
             .dp = plan.dp,
             .cp = plan.cp,
             .ep = plan.ep,
             .etp = plan.expert_tp > 0 ? plan.expert_tp : (plan.ep > 1 ? plan.tp : 1),
             .zero = plan.zero,
             .shard_group = plan.instances > 1 ? plan.dp * plan.cp / plan.instances : 0,
             .micro_batch = plan.micro_batch,
             .interleave = plan.interleave,
             .recompute = recompute_of(plan.recompute),
             .recompute_layers = plan.recompute_layers,
             .recompute_norms = plan.recompute_norms,
             .recompute_act = plan.recompute_act,
             .recompute_mla = plan.recompute_mla,
             .sequence_parallel = plan.sequence_parallel,
             .context = context_of(plan.cp_comm_type),
             .layers = plan.stage_layers,
             .tower_stages = plan.encoder_stages,
             .even_ends = plan.even_ends,
             .tp_overlap = plan.tp_overlap,
             .dp_overlap = plan.overlap_grad_reduce,
             .pp_overlap = plan.pp_overlap,
             .ep_overlap = plan.ep_overlap,
             .offload_optimizer = plan.offload_optimizer};
  if (plan.interleave > 1) s.schedule = PipelineSchedule::interleaved;
  return s;
}

std::int64_t training_steps(const Job& job) {
  constexpr std::int64_t kTrial = 100;
  if (job.tokens <= 0) return kTrial;
  return std::max<std::int64_t>(1, std::llround(job.tokens / job.batch / job.sequence));
}

std::string framework_file(Framework framework, const Job& job, const Strategy& s) {
  auto gaps = inexpressible(framework, job, s);
  if (!gaps.empty()) throw InputError(std::move(gaps));
  switch (framework) {
    case Framework::megatron: return megatron_file(job, s);
    case Framework::deepspeed: return deepspeed_file(job, s);
    case Framework::torchtitan: break;
  }
  return torchtitan_file(job, s);
}

}  // namespace railyard::placement
