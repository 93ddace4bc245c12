#include <fmt/format.h>

#include "placement/launch/job_plan.hpp"
#include "placement/launch/megatron_model.hpp"

namespace railyard::placement {
namespace {

/// Collects settings that a framework cannot express.
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

/// For frameworks that recompute only whole layers or the attention core.
void operation_gaps(Gaps& gaps, const Job& job, const Strategy& s) {
  gaps.add_if(s.recomputes_operations(), "recompute",
              "recomputation of norms, activation functions or MLA alone",
              "recompute_norms=false,recompute_act=false,recompute_mla=false");
  gaps.add_if(job.moments == MomentType::bf16, "moments", "optimizer moments in bf16",
              "\"moments\": \"fp32\" in the job");
  gaps.add_if(job.fp8_act_input, "fp8_act_input", "inputs of swiglu in 8 bit",
              "\"fp8_act_input\": false in the job");
}

void pipeline_gaps(Gaps& gaps, const Strategy& s, bool has_gpipe) {
  const bool other = s.schedule == PipelineSchedule::zero_bubble ||
                     s.schedule == PipelineSchedule::dualpipe ||
                     (s.schedule == PipelineSchedule::gpipe && !has_gpipe);
  gaps.add_if(s.pp > 1 && other, "schedule", "this pipeline schedule", "schedule=1f1b");
}

/// Megatron-LM (megatron/training/arguments.py at 4393d2b): no GPipe; weights and activations stay
/// on the GPU; stages are equal unless embedding and head count as layers.
void megatron_gaps(Gaps& gaps, const Job& job, const Strategy& s) {
  pipeline_gaps(gaps, s, false);
  gaps.add_if(s.offload_weights, "offload_weights", "weights in host memory",
              "offload_weights=false");
  gaps.add_if(s.offload_activations, "offload_activations", "activations in host memory",
              "offload_activations=false");
  gaps.add_if(s.offload_optimizer && s.zero == 0, "offload_optimizer",
              "an optimizer in host memory that is not sharded", "zero=1");
  gaps.add_if(s.tp_overlap && !s.sequence_parallel, "tp_overlap",
              "tp_overlap without sequence parallelism", "sequence_parallel=true");
  gaps.add_if(s.zero > 1 && s.pp > 1, "zero", "sharded gradients or weights in a pipeline",
              "zero=1");
  gaps.add_if(s.shard_group > 0 && s.zero != 1, "shard_group", "shard groups other than of zero=1",
              "zero=1, or shard_group=0");
  gaps.add_if(job.moments == MomentType::bf16 && s.zero == 0, "moments",
              "optimizer moments in bf16 that are not sharded", "zero=1");
  gaps.add_if(s.recompute_act && !job.model.moe, "recompute_act",
              "recomputation of activation functions without experts", "recompute_act=false");
  gaps.add_if(s.early_stop, "early_stop", "full recomputation that ends early", "early_stop=false");
  gaps.add_if(s.interleave == 1 && s.pp_overlap, "pp_overlap",
              "overlapped messages of stages without chunks", "pp_overlap=false");
  gaps.add_if(s.interleave > 1 && s.pp == 2 && !s.pp_overlap, "pp_overlap",
              "chunks on two stages without overlapped messages", "pp_overlap=true");
  gaps.add_if(s.recompute_layers % s.interleave != 0, "recompute_layers",
              "recomputing other layers in one chunk than in the next",
              "recompute_layers that interleave divides");
}

/// Settings that Megatron-LM refuses for models with experts, towers or an encoder.
void megatron_model_strategy_gaps(Gaps& gaps, const Job& job, const Strategy& s) {
  const bool experts = job.model.moe.has_value();
  gaps.add_if(experts && s.tp > 1 && !s.sequence_parallel, "sequence_parallel",
              "experts under tensor parallelism without sequence parallelism",
              "sequence_parallel=true");
  gaps.add_if(s.ep > 1 && job.precision == Precision::fp16, "precision",
              "experts over ranks in fp16", "a bf16 job");
  gaps.add_if(
      s.ep_overlap &&
          (s.ep == 1 || (s.pp > 1 && s.interleave == 1) || s.recompute == Recompute::full),
      "ep_overlap",
      "overlapped expert traffic without expert ranks, in a pipeline without chunks or with "
      "full recomputation",
      "ep_overlap=false");
  gaps.add_if(s.tower_stages > 0, "tower_stages",
              "stages of towers or an encoder (today's Megatron Core has none)", "tower_stages=0");
  gaps.add_if(job.model.encoder && s.pp > 1, "pp",
              "a pipeline of an encoder-decoder "
              "(pretrain_t5.py refuses one)",
              "pp=1");
  for (const ModelGap& gap : megatron_model_gaps(job))
    gaps.add_if(true, std::string(gap.key).c_str(), gap.what, gap.hint);
}

/// DeepSpeed: ZeRO; a 1F1B pipeline engine with ZeRO 0 and 1 only; Ulysses for long sequences.
void deepspeed_gaps(Gaps& gaps, const Job& job, const Strategy& s) {
  pipeline_gaps(gaps, s, false);
  gaps.add_if(!s.layers.empty(), "layers", "the layers of each stage (it balances them itself)",
              "layers left out, or Megatron-LM");
  gaps.add_if(s.interleave > 1, "interleave", "interleaved stages", "interleave=1");
  gaps.add_if(s.zero > 1 && s.pp > 1, "zero", "ZeRO 2 or 3 in a pipeline", "zero=1");
  // deepspeed.ai/tutorials/autotp-training: stages 0, 1 and 2.
  gaps.add_if(s.zero > 2 && s.tp > 1, "zero", "ZeRO 3 with tensor parallelism", "zero=2, or tp=1");
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
  gaps.add_if(s.offload_optimizer && s.zero == 0, "offload_optimizer",
              "an optimizer in host memory without ZeRO", "zero=1");
  gaps.add_if(s.tower_stages > 0, "tower_stages", "stages of towers or an encoder",
              "tower_stages=0");
  gaps.add_if(is_narrow(job.precision) || !job.precisions.empty(), "precision",
              "products of 8 or 4 bits", "a bf16 job");
  operation_gaps(gaps, job, s);
}

/// TorchTitan 0.2 (torchtitan/config/job_config.py): tensor parallelism always includes sequence
/// parallelism; FSDP offloads weights and optimizer together.
void torchtitan_gaps(Gaps& gaps, const Job& job, const Strategy& s) {
  pipeline_gaps(gaps, s, true);
  gaps.add_if(!job.model.towers.empty(), "towers", "towers of pictures in front of the layers",
              "a script of your own with these sizes");
  gaps.add_if(job.model.encoder.has_value(), "encoder", "encoder-decoders",
              "a script of your own with these sizes");
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
  gaps.add_if(job.precision == Precision::nvfp4 || !job.precisions.empty(), "precision",
              "products of 4 bits, or precisions of parts of a layer",
              "a job in bf16, fp8 or mxfp8");
  gaps.add_if(s.recompute == Recompute::selective, "recompute",
              "recomputing attention alone (its selective does every second layer)",
              "recompute=full or none");
  operation_gaps(gaps, job, s);
}

}  // namespace

std::vector<Diagnostic> inexpressible(Framework framework, const Job& job, const Strategy& s) {
  Gaps gaps(framework);
  switch (framework) {
    case Framework::megatron:
      megatron_gaps(gaps, job, s);
      megatron_model_strategy_gaps(gaps, job, s);
      break;
    case Framework::deepspeed: deepspeed_gaps(gaps, job, s); break;
    case Framework::torchtitan: torchtitan_gaps(gaps, job, s); break;
  }
  return gaps.take();
}

std::vector<std::string> framework_notes(Framework framework, const Job& job, const Strategy& s) {
  std::vector<std::string> notes;
  if (framework == Framework::megatron) {
    notes = megatron_model_notes(job);
    // Megatron-LM asserts it at its start before Blackwell; FSDP requires it to be unset.
    if ((s.tp > 1 || s.cp > 1) && s.zero < 2)
      notes.emplace_back(
          "set CUDA_DEVICE_MAX_CONNECTIONS=1 in the environment (on GPUs before Blackwell)");
  }
  if (framework == Framework::torchtitan && s.zero == 1)
    notes.emplace_back("TorchTitan shards gradients with the optimizer: zero=2");
  if (framework == Framework::deepspeed && s.pp > 1)
    notes.push_back(fmt::format(
        "the program makes a PipelineModule of {} stages{}", s.pp,
        s.tp > 1 ? fmt::format(", with tensor parallelism of {}", s.tp) : std::string()));
  if (framework == Framework::deepspeed && s.shard_group > 0)
    notes.emplace_back("mics_shard_size requires a model created in deepspeed.zero.MiCS_Init");
  return notes;
}

}  // namespace railyard::placement
