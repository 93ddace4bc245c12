#include "placement/emit/job_plan.hpp"

#include <fmt/format.h>

#include "placement/emit/framework_arguments.hpp"

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
  return kind == ContextKind::ulysses ? "a2a" : "allgather";
}

ContextKind context_of(const std::string& cp_comm_type) {
  if (cp_comm_type == "a2a") return ContextKind::ulysses;
  return cp_comm_type == "allgather" ? ContextKind::all_gather : ContextKind::ring;
}

/// Collects what a framework cannot do.
class Gaps {
 public:
  explicit Gaps(Framework framework) : framework_(to_text(framework)) {}
  void add_if(bool is_gap, const char* key, std::string_view what, std::string hint) {
    if (is_gap)
      gaps_.push_back(
          {"", key, fmt::format("{} has no argument for {}", framework_, what), std::move(hint)});
  }
  [[nodiscard]] std::vector<Diagnostic> take() { return std::move(gaps_); }

 private:
  std::string_view framework_;
  std::vector<Diagnostic> gaps_;
};

void pipeline_gaps(Gaps& gaps, const Strategy& s, bool has_gpipe) {
  const bool other = s.schedule == PipelineSchedule::zero_bubble ||
                     s.schedule == PipelineSchedule::dualpipe ||
                     (s.schedule == PipelineSchedule::gpipe && !has_gpipe);
  gaps.add_if(s.pp > 1 && other, "schedule", "this pipeline schedule", "schedule=1f1b");
}

void tower_gaps(Gaps& gaps, const Job& job) {
  gaps.add_if(!job.model.towers.empty(), "towers", "towers of pictures in front of the layers",
              "a script of your own with these sizes");
}

/// Megatron-LM (megatron/training/arguments.py): no GPipe, weights and activations stay on the GPU,
/// stages are equal unless embedding and head count as layers.
void megatron_gaps(Gaps& gaps, const Job& job, const Strategy& s) {
  pipeline_gaps(gaps, s, false);
  gaps.add_if(s.offload_weights, "offload_weights", "weights in host memory",
              "offload_weights=false");
  gaps.add_if(s.offload_activations, "offload_activations", "activations in host memory",
              "offload_activations=false");
  gaps.add_if(s.tp_overlap && !s.sequence_parallel, "tp_overlap",
              "tp_overlap without sequence parallelism", "sequence_parallel=true");
  gaps.add_if(s.zero > 1 && s.pp > 1, "zero", "sharded gradients or weights in a pipeline",
              "zero=1");
  gaps.add_if(s.shard_group > 0 && s.zero != 1, "shard_group", "shard groups other than of zero=1",
              "zero=1, or shard_group=0");
  const int layers = job.model.layers + (s.even_ends ? 2 : 0), stages = s.pp * s.interleave;
  tower_gaps(gaps, job);
  gaps.add_if(s.layers.empty() && layers % stages != 0, "pp",
              fmt::format("{} layers in {} unequal stages", layers, stages),
              "pp x interleave that divides the layers, or even_ends=true");
}

/// DeepSpeed: ZeRO and a 1F1B pipeline engine that takes ZeRO 0 and 1; Ulysses for long sequences.
void deepspeed_gaps(Gaps& gaps, const Strategy& s) {
  pipeline_gaps(gaps, s, false);
  gaps.add_if(!s.layers.empty(), "layers", "the layers of each stage (it balances them itself)",
              "layers left out, or Megatron-LM");
  gaps.add_if(s.interleave > 1, "interleave", "interleaved stages", "interleave=1");
  gaps.add_if(s.zero > 1 && s.pp > 1, "zero", "ZeRO 2 or 3 in a pipeline", "zero=1");
  gaps.add_if(s.cp > 1 && s.context != ContextKind::ulysses, "context",
              "context parallelism by rings or gathers", "context=ulysses, or cp=1");
  gaps.add_if(s.shard_group > 0 && s.zero != 3, "shard_group", "shard groups other than of zero=3",
              "zero=3 (hierarchical partitioning), or shard_group=0");
  gaps.add_if(s.offload_weights && s.zero != 3, "offload_weights",
              "weights in host memory below ZeRO 3", "zero=3");
  gaps.add_if(s.offload_activations, "offload_activations", "activations in host memory",
              "offload_activations=false");
  gaps.add_if(s.sequence_parallel, "sequence_parallel", "Megatron's sequence parallelism",
              "sequence_parallel=false");
  gaps.add_if(s.tp_overlap, "tp_overlap", "overlapped tensor parallelism", "tp_overlap=false");
  gaps.add_if(s.recompute == Recompute::selective, "recompute", "selective recomputation",
              "recompute=full or none");
}

/// TorchTitan (torchtitan/config/job_config.py): tensor parallelism is always with sequence
/// parallelism; FSDP offloads weights and optimizer together.
void torchtitan_gaps(Gaps& gaps, const Job& job, const Strategy& s) {
  pipeline_gaps(gaps, s, true);
  tower_gaps(gaps, job);
  gaps.add_if(!s.layers.empty(), "layers",
              "the layers of each stage other than by the names of their modules",
              "layers left out, or Megatron-LM");
  gaps.add_if(s.tp > 1 && !s.sequence_parallel, "sequence_parallel",
              "tensor parallelism without sequence parallelism", "sequence_parallel=true");
  gaps.add_if(s.cp > 1 && s.context == ContextKind::ulysses, "context",
              "Ulysses context parallelism", "context=ring or all_gather");
  gaps.add_if(s.offload_weights != s.offload_optimizer, "offload_optimizer",
              "either of weights and optimizer in host memory alone",
              "offload_weights=true,offload_optimizer=true");
  gaps.add_if(s.offload_activations, "offload_activations", "activations in host memory",
              "offload_activations=false");
  gaps.add_if(s.recompute_layers > 0, "recompute_layers", "recomputing some layers",
              "recompute_layers=0");
  gaps.add_if(job.precision == Precision::fp16, "precision", "fp16", "a bf16 job");
}

void model_arguments(const Job& job, std::vector<std::string>& out) {
  const Model& m = job.model;
  const auto add = [&](std::string_view flag, int value) {
    out.push_back(fmt::format("{} {}", flag, value));
  };
  add("--hidden-size", m.hidden);
  add("--ffn-hidden-size", m.ffn);
  add("--num-attention-heads", m.heads);
  if (m.kv() != m.heads && !m.mla) {
    out.emplace_back("--group-query-attention");
    add("--num-query-groups", m.kv());
  }
  add("--vocab-size", m.vocabulary);
  add("--max-position-embeddings", m.positions > 0 ? m.positions : job.sequence);
  if (m.positions == 0) out.emplace_back("--position-embedding-type rope");
  if (m.mlp == Mlp::swiglu) out.emplace_back("--swiglu");
  if (m.norm == Norm::rms_norm) out.emplace_back("--normalization RMSNorm");
  if (!m.biases) out.emplace_back("--disable-bias-linear");
  if (!m.tied_embeddings) out.emplace_back("--untie-embeddings-and-output-weights");
  if (m.mla) {
    out.emplace_back("--multi-latent-attention");
    if (m.mla->query_rank > 0) add("--q-lora-rank", m.mla->query_rank);
    add("--kv-lora-rank", m.mla->kv_rank);
    add("--qk-head-dim", m.mla->nope_dim);
    add("--qk-pos-emb-head-dim", m.mla->rope_dim);
    add("--v-head-dim", m.mla->value_dim);
  }
  if (!m.moe) return;
  add("--num-experts", m.moe->experts);
  add("--moe-router-topk", m.moe->top_k);
  add("--moe-ffn-hidden-size", m.moe->ffn);
  if (m.moe->shared_ffn > 0) add("--moe-shared-expert-intermediate-size", m.moe->shared_ffn);
  out.push_back(
      fmt::format("--moe-layer-freq ([0]*{}+[1]*{})", m.moe->dense_layers, m.moe_layers()));
}

/// Layers by stage for Megatron Core's --pipeline-model-parallel-layout (docs/user-guide, custom
/// pipeline layout): E embedding, t a layer, L loss; | between stages.
std::string pipeline_layout(const Strategy& s) {
  std::string text;
  for (std::size_t i = 0; i < s.layers.size(); ++i) {
    if (i > 0) text += '|';
    if (i == 0) text += 'E';
    text += s.layers[i] == 1 ? "t" : fmt::format("t*{}", s.layers[i]);
    if (i + 1 == s.layers.size()) text += 'L';
  }
  return fmt::format("--pipeline-model-parallel-layout \"{}\"", text);
}

std::string megatron_file(const Job& job, const Strategy& s) {
  std::vector<std::string> out = megatron_arguments(launch_plan(job, s));
  if (s.even_ends && s.pp > 1) {
    out.emplace_back("--account-for-embedding-in-pipeline-split");
    out.emplace_back("--account-for-loss-in-pipeline-split");
  }
  if (!s.layers.empty() && s.pp > 1) out.push_back(pipeline_layout(s));
  if (s.interleave > 1 && !s.pp_overlap) out.emplace_back("--no-overlap-p2p-communication");
  if (s.tp_overlap) out.emplace_back("--tp-comm-overlap");
  if (s.shard_group > 0)
    out.push_back(
        fmt::format("--num-distributed-optimizer-instances {}", s.replicas() / s.shard_group));
  if (s.offload_optimizer)
    out.emplace_back("--optimizer-cpu-offload --use-precision-aware-optimizer");
  if (job.precision == Precision::fp8) out.emplace_back("--fp8-format hybrid");
  model_arguments(job, out);
  std::string text;
  for (const std::string& line : out) {
    // What a shell would take apart is quoted.
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
  if (s.shard_group > 0) more += fmt::format(", \"zero_hpz_partition_size\": {}", s.shard_group);
  text.insert(text.rfind("}\n}"), more);
  return text;
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
  if (s.offload_weights)
    text.insert(text.find("\n[activation_checkpoint]"), "enable_cpu_offload = true\n");
  return text;
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
                  .zero = s.zero,
                  .sequence_parallel = s.sequence_parallel,
                  .recompute = launch_recompute(s.recompute),
                  .recompute_layers = s.recompute_layers,
                  .micro_batch = s.micro_batch,
                  .global_batch = job.batch,
                  .sequence_length = job.sequence,
                  .overlap_grad_reduce = s.dp_overlap,
                  .overlap_param_gather = s.dp_overlap && s.zero > 0};
  if (s.cp > 1) plan.cp_comm_type = cp_comm_type(s.context);
  if (job.precision == Precision::fp16) plan.precision = "fp16";
  if (job.precision == Precision::bf16 || job.precision == Precision::fp8) plan.precision = "bf16";
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
             .micro_batch = plan.micro_batch,
             .interleave = plan.interleave,
             .recompute = recompute_of(plan.recompute),
             .recompute_layers = plan.recompute_layers,
             .sequence_parallel = plan.sequence_parallel,
             .context = context_of(plan.cp_comm_type),
             .dp_overlap = plan.overlap_grad_reduce};
  if (plan.interleave > 1) {
    s.schedule = PipelineSchedule::interleaved;
    s.pp_overlap = true;
  }
  return s;
}

std::vector<Diagnostic> inexpressible(Framework framework, const Job& job, const Strategy& s) {
  Gaps gaps(framework);
  switch (framework) {
    case Framework::megatron: megatron_gaps(gaps, job, s); break;
    case Framework::deepspeed: deepspeed_gaps(gaps, s); break;
    case Framework::torchtitan: torchtitan_gaps(gaps, job, s); break;
  }
  return gaps.take();
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
