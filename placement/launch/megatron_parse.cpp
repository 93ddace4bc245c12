#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "core/diagnostic.hpp"
#include "placement/launch/framework_arguments.hpp"
#include "placement/launch/megatron_flags.hpp"
#include "placement/launch/pipeline_layout.hpp"

namespace railyard::placement {
namespace {

using Notes = std::vector<std::string>;

void read_recompute(MegatronFlags& flags, LaunchPlan& plan, Notes& notes) {
  const std::string granularity = flags.word("--recompute-granularity");
  if (granularity == "selective" || flags.has("--recompute-activations"))
    plan.recompute = LaunchRecompute::selective;
  if (granularity == "full") plan.recompute = LaunchRecompute::full;
  if (!granularity.empty() && granularity != "selective" && granularity != "full")
    flags.add_problem("--recompute-granularity", fmt::format("cannot be '{}'", granularity),
                      "full or selective");
  if (granularity == "full" && flags.has("--recompute-activations"))
    flags.add_problem("--recompute-activations", "is selective, --recompute-granularity is full",
                      "leave one of them out");
  const std::string method = flags.word("--recompute-method");
  if (!method.empty() && method != "uniform" && method != "block")
    flags.add_problem("--recompute-method", fmt::format("cannot be '{}'", method),
                      "uniform or block");
  if (!method.empty() && plan.recompute == LaunchRecompute::selective)
    flags.add_problem("--recompute-method", "requires --recompute-granularity full");
  const int layers = flags.number("--recompute-num-layers", 0);
  // Megatron-LM counts layers per chunk.
  if (plan.recompute == LaunchRecompute::full && method == "block")
    plan.recompute_layers = layers * plan.interleave;
  const Notes modules = flags.words("--recompute-modules");
  if (modules.empty() || plan.recompute != LaunchRecompute::selective) return;
  if (std::ranges::find(modules, "core_attn") == modules.end())
    plan.recompute = LaunchRecompute::none;
  for (const std::string& module : modules) {
    if (module == "layernorm")
      plan.recompute_norms = true;
    else if (module == "moe_act")
      plan.recompute_act = true;
    else if (module == "mla_up_proj")
      plan.recompute_mla = true;
    else if (module != "core_attn")
      notes.push_back(fmt::format("--recompute-modules: {} is not computed again", module));
  }
}

void read_fsdp(MegatronFlags& flags, LaunchPlan& plan, Notes& notes) {
  const std::string flag = "--data-parallel-sharding-strategy", strategy = flags.word(flag);
  constexpr std::array<std::string_view, 4> kStrategies{"no_shard", "optim", "optim_grads",
                                                        "optim_grads_params"};
  const bool is_on = flags.has("--use-megatron-fsdp") || flags.has("--use-custom-fsdp");
  const auto found = std::ranges::find(kStrategies, strategy);
  if (!strategy.empty() && found == kStrategies.end())
    flags.add_problem(flag, fmt::format("cannot be '{}'", strategy),
                      "no_shard, optim, optim_grads or optim_grads_params");
  else if (!strategy.empty() && !is_on)
    notes.push_back(flag + ": ignored without --use-megatron-fsdp");
  else if (!strategy.empty())
    plan.zero = static_cast<int>(found - kStrategies.begin());
}

void read_sharding(MegatronFlags& flags, LaunchPlan& plan, Notes& notes) {
  if (flags.has("--use-distributed-optimizer")) plan.zero = 1;
  read_fsdp(flags, plan, notes);
  if (flags.has("--use-torch-fsdp2")) {
    plan.zero = flags.has("--torch-fsdp2-no-reshard-after-forward") ? 2 : 3;
    if (plan.pp > 1) flags.add_problem("--use-torch-fsdp2", "needs one pipeline stage");
    if (plan.ep > 1) flags.add_problem("--use-torch-fsdp2", "needs one expert rank");
  }
  plan.instances = flags.number("--num-distributed-optimizer-instances", 1);
  plan.overlap_grad_reduce = flags.has("--overlap-grad-reduce");
  plan.overlap_param_gather = flags.has("--overlap-param-gather");
  plan.offload_optimizer = flags.has("--optimizer-cpu-offload");
  if (plan.overlap_param_gather && plan.zero == 0)
    flags.add_problem("--overlap-param-gather",
                      "needs --use-distributed-optimizer or --use-megatron-fsdp",
                      "add it, or leave this out");
}

/// Reads the layers of the first and of the last stage, and sets those of each chunk.
void read_ends(MegatronFlags& flags, LaunchPlan& plan) {
  const std::string first = "--decoder-first-pipeline-num-layers",
                    last = "--decoder-last-pipeline-num-layers";
  const std::string& flag = flags.has(first) ? first : last;
  if (plan.layers == 0)
    return flags.add_problem(flag, "needs --num-layers", "add it, so that the rest can be dealt");
  std::vector<int> ranks(static_cast<std::size_t>(plan.pp), 0);
  const int begin = flags.number(first, 0), end = flags.number(last, 0);
  const int middle = plan.pp - (begin > 0 ? 1 : 0) - (end > 0 ? 1 : 0);
  const int rest = plan.layers - begin - end;
  if (middle < 0 || rest < 0 || (middle == 0 ? rest != 0 : rest % middle != 0))
    return flags.add_problem(
        flag, fmt::format("leaves {} layers for {} stages", rest, std::max(0, middle)));
  std::ranges::fill(ranks, middle > 0 ? rest / middle : 0);
  if (begin > 0) ranks.front() = begin;
  if (end > 0) ranks.back() = end;
  for (int chunk = 0; chunk < plan.interleave; ++chunk)
    for (const int layers : ranks) {
      if (layers % plan.interleave != 0)
        return flags.add_problem(flag,
                                 fmt::format("makes a stage of {} layers, which {} chunks do not "
                                             "divide",
                                             layers, plan.interleave));
      plan.stage_layers.push_back(layers / plan.interleave);
    }
}

/// Embedding and loss as layers: even ends if both are set; one alone shortens one stage by a
/// layer.
void read_ends_as_layers(MegatronFlags& flags, LaunchPlan& plan) {
  const std::string embedding = "--account-for-embedding-in-pipeline-split",
                    loss = "--account-for-loss-in-pipeline-split";
  plan.even_ends = flags.has(embedding) && flags.has(loss);
  if (plan.even_ends || flags.has(embedding) == flags.has(loss)) return;
  const std::string& flag = flags.has(embedding) ? embedding : loss;
  const std::int64_t stages = std::int64_t{plan.pp} * plan.interleave;
  if (plan.layers == 0)
    return flags.add_problem(flag, "needs --num-layers", "add it, so that they can be dealt");
  if ((plan.layers + 1) % stages != 0)
    return flags.add_problem(flag, fmt::format("makes {} layers, which {} stages do not divide",
                                               plan.layers + 1, stages));
  const auto each = static_cast<int>((plan.layers + 1) / stages);
  plan.stage_layers.assign(static_cast<std::size_t>(stages), each);
  --(flag == embedding ? plan.stage_layers.front() : plan.stage_layers.back());
}

void read_interleave(MegatronFlags& flags, LaunchPlan& plan) {
  plan.interleave = flags.number("--num-virtual-stages-per-pipeline-rank", 1);
  const std::string flag = "--num-layers-per-virtual-pipeline-stage";
  const int each = flags.number(flag, 0);
  if (each == 0) return;
  const int units = plan.layers + (flags.has("--account-for-embedding-in-pipeline-split") ? 1 : 0) +
                    (flags.has("--account-for-loss-in-pipeline-split") ? 1 : 0);
  if (plan.layers == 0) {
    flags.add_problem(flag, "needs --num-layers", "add it, so that the stages can be counted");
  } else if (units % (std::int64_t{plan.pp} * each) != 0) {
    flags.add_problem(flag, fmt::format("is {}: {} layers over {} ranks do not divide by it", each,
                                        units, plan.pp));
  } else {
    plan.interleave = units / (plan.pp * each);
  }
}

void read_layout(MegatronFlags& flags, LaunchPlan& plan, Notes& notes) {
  const std::string flag = "--pipeline-model-parallel-layout";
  PipelineLayout layout = parse_layout(flags.word(flag));
  if (!layout.problem.empty()) return flags.add_problem(flag, layout.problem);
  const auto stages = static_cast<int>(layout.layers.size());
  const int layers = std::accumulate(layout.layers.begin(), layout.layers.end(), 0);
  if (stages % plan.pp != 0)
    return flags.add_problem(
        flag, fmt::format("has {} stages, which {} pipeline ranks do not divide", stages, plan.pp));
  if (plan.layers > 0 && plan.layers != layers)
    return flags.add_problem(flag,
                             fmt::format("has {} layers, --num-layers is {}", layers, plan.layers));
  if (layout.mtp > 0 && !flags.has("--mtp-num-layers"))
    notes.push_back(flag + ": multi-token prediction is not counted");
  plan.interleave = stages / plan.pp;
  plan.layers = layers;
  plan.stage_layers = std::move(layout.layers);
}

void read_pipeline(MegatronFlags& flags, LaunchPlan& plan, Notes& notes) {
  if (flags.has("--pipeline-model-parallel-layout")) {
    read_layout(flags, plan, notes);
  } else {
    read_interleave(flags, plan);
    if (flags.has("--decoder-first-pipeline-num-layers") ||
        flags.has("--decoder-last-pipeline-num-layers"))
      read_ends(flags, plan);
    else
      read_ends_as_layers(flags, plan);
  }
  const std::string apart = "--no-overlap-p2p-communication";
  plan.pp_overlap = plan.interleave > 1 && !flags.has(apart);
  if (plan.interleave > 1 && !plan.pp_overlap && plan.pp < 3)
    flags.add_problem(apart, "needs more than two pipeline ranks with interleaved stages",
                      "leave it out");
}

/// An encoder's layers and tokens (pretrain_t5.py), and its stages in versions that supported them.
void read_encoder(MegatronFlags& flags, LaunchPlan& plan) {
  const int encoder = flags.number("--encoder-num-layers", 0),
            decoder = flags.number("--decoder-num-layers", 0);
  plan.layers = flags.number("--num-layers", decoder > 0 ? decoder : encoder);
  const int tokens = flags.number("--encoder-seq-length", flags.number("--seq-length", 0));
  plan.sequence_length = flags.number("--decoder-seq-length", tokens);
  // Without the decoder's arguments, these are other names for --num-layers and --seq-length.
  if (encoder > 0 && decoder > 0) {
    plan.encoder_layers = encoder;
    plan.encoder_sequence = tokens;
  }
  const std::string stages = "--encoder-pipeline-model-parallel-size",
                    width = "--encoder-tensor-model-parallel-size",
                    split = "--pipeline-model-parallel-split-rank";
  plan.encoder_stages = flags.number(split, flags.number(stages, 0, 0));
  if (flags.has(stages)) plan.pp += plan.encoder_stages;
  if (plan.encoder_stages >= plan.pp)
    flags.add_problem(split,
                      fmt::format("is {} of {} pipeline ranks", plan.encoder_stages, plan.pp));
  const int wide = flags.number(width, 0, 0);
  if (wide > 0 && wide != plan.tp)
    flags.add_problem(width,
                      fmt::format("is {}, --tensor-model-parallel-size {}: an encoder of "
                                  "another width has no strategy here",
                                  wide, plan.tp),
                      "the same for both");
}

void read_context(MegatronFlags& flags, LaunchPlan& plan, Notes& notes) {
  const std::string flag = "--cp-comm-type";
  const Notes types = flags.words(flag);
  if (types.empty()) return;
  plan.cp_comm_type = types.front() == "allgather" ? "all_gather" : types.front();
  constexpr std::array<std::string_view, 4> kTypes{"p2p", "a2a", "all_gather", "a2a+p2p"};
  if (std::ranges::find(kTypes, plan.cp_comm_type) == kTypes.end())
    flags.add_problem(flag, fmt::format("cannot be '{}'", types.front()),
                      "p2p, a2a, all_gather or a2a+p2p");
  if (std::ranges::any_of(types, [&](const std::string& t) { return t != types.front(); }))
    notes.push_back(flag + ": every layer has the type of the first");
  if (plan.cp_comm_type == "a2a+p2p") notes.push_back(flag + ": a2a+p2p is modelled as p2p");
}

void read_experts(MegatronFlags& flags, LaunchPlan& plan) {
  plan.ep = flags.number("--expert-model-parallel-size", 1);
  // With experts Megatron-LM's default is the tensor width of the other layers.
  plan.expert_tp = flags.number("--expert-tensor-parallel-size",
                                flags.number("--num-experts", 0, 0) > 0 ? plan.tp : 0);
  const std::string overlap = "--overlap-moe-expert-parallel-comm";
  plan.ep_overlap = flags.has(overlap);
  if (!plan.ep_overlap) return;
  if (plan.pp > 1 && plan.interleave == 1)
    flags.add_problem(overlap, "needs interleaved stages in a pipeline");
  if (flags.word("--recompute-granularity") == "full")
    flags.add_problem(overlap, "contradicts --recompute-granularity full");
}

void read_tensor(MegatronFlags& flags, LaunchPlan& plan, Notes& notes) {
  plan.sequence_parallel = flags.has("--sequence-parallel") && plan.tp > 1;
  plan.tp_overlap = flags.has("--tp-comm-overlap") && plan.tp > 1;
  if (flags.has("--sequence-parallel") && plan.tp == 1)
    notes.emplace_back("--sequence-parallel: no effect with a tensor-parallel size of 1");
}

}  // namespace

MegatronArguments parse_megatron_arguments(std::string_view text, int gpus,
                                           const std::string& where) {
  Diagnostics problems(where);
  MegatronFlags flags(text, problems);
  flags.check_combinations();
  Notes notes = flags.notes();
  LaunchPlan plan;
  plan.tp = flags.number("--tensor-model-parallel-size", 1);
  plan.pp = flags.number("--pipeline-model-parallel-size", 1);
  plan.cp = flags.number("--context-parallel-size", 1);
  plan.micro_batch = flags.number("--micro-batch-size", 1);
  plan.global_batch = flags.number("--global-batch-size", 0);
  read_encoder(flags, plan);
  const std::int64_t model = std::int64_t{plan.tp} * plan.pp * plan.cp;
  const bool fits = gpus >= model && gpus % model == 0;
  if (!fits)
    problems.add("--gpus", fmt::format("{} GPUs do not divide by tp x pp x cp = {}", gpus, model),
                 fmt::format("{} GPUs would fit",
                             std::max<std::int64_t>(1, (gpus + model / 2) / model) * model));
  if (fits) read_pipeline(flags, plan, notes);
  read_tensor(flags, plan, notes);
  read_context(flags, plan, notes);
  read_experts(flags, plan);
  plan.precision = flags.has("--bf16") ? "bf16" : flags.has("--fp16") ? "fp16" : "";
  read_recompute(flags, plan, notes);
  read_sharding(flags, plan, notes);
  problems.throw_if_any();
  plan.dp = static_cast<int>(gpus / model);
  check_launch_plan(plan, where);
  return {std::move(plan), flags.ignored(), std::move(notes)};
}

}  // namespace railyard::placement
