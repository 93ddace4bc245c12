#include "apps/place/place_flags.hpp"

#include <fmt/format.h>

#include "apps/cli/job_size_flags.hpp"
#include "apps/place/emit.hpp"
#include "placement/launch/launch_formats.hpp"
#include "placement/search/further_settings.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kFooter = R"(
Searches the parallel strategies of a training job on a cluster and prints the fastest that fit in
memory. iteration_s is the time of a step by formula (docs/models/step.md). The 20 fastest (--verify)
are then simulated on the fabric, each as a whole step. simulated_s is the simulated time; it orders the table.
--fix and --from-megatron score one given strategy instead of searching.
Inside a step a collective takes 1.0 to 2.1 times as long as sim predicts for it alone (up to 3.7
on V100, down to 0.76 for groups of two GPUs); --wide prints both times.

A strategy is written as tp=8,pp=8,zero=1,micro_batch=2,recompute=full. Keys that are left out are 1,
none or false; dp is the number of GPUs / (tp x pp x cp). 'railyard schema strategy --docs' lists all keys.

Exit codes: 0 done; 1 no strategy fits, --max-days is exceeded, or the free GPUs are too few for a
job of --queue; 2 wrong input. Ctrl-C stops the search and prints the best strategies found so far.

Examples:
  railyard place --cluster dgx_a100_hdr200 --nodes 128 --job gpt3_175b
  railyard place --cluster dgx_h100_ndr400 --nodes 4 --model qwen3_32b
  railyard place --cluster dgx_h100_ndr400 --nodes 8 --job llama3_8b --fix tp=2,dp=32,zero=1 --json -
  railyard place --cluster clos_baidu_roce --nodes 32 --job gpt3_175b --mapping --emit launch
  railyard place --cluster dgx_h100_ndr400 --nodes 64 --job llama3_70b --occupied 0-7,12 --gpus 256
  railyard place --cluster dgx_h100_ndr400 --nodes 32 --job gpt3_175b --from-megatron args.txt
  railyard place --cluster dgx_h100_ndr400 --nodes 32 --job gpt3_175b --fix tp=8,pp=4,zero=1,recompute=full --lost 3,17)";

/// Joins names: "text: name (value), name (value)".
template <class Names>
std::string list_of(std::string text, const Names& names) {
  for (const auto& [name, what] : names)
    text += fmt::format("{} {} ({})", text.back() == ':' ? "" : ",", name, what);
  return text;
}

void add_job_flags(FlagSet app, PlaceFlags& flags) {
  const Flag job =
      app.add_option("--job", flags.job, "Training job: a name in configs/jobs, or a file");
  job.type_name("JOB");
  app.add_option("--model", flags.model,
                 "Model to train, in place of --job: a name in configs/models, a model file, or a "
                 "config.json of Hugging Face. Batch and precision come from the job of the same "
                 "name in configs/jobs [without such a job: 4M tokens per step, bf16]")
      .type_name("MODEL")
      .excludes(job);
  app.add_option("--queue", flags.queue,
                 "File with several jobs to place together (railyard schema queue)")
      .type_name("FILE");
  add_job_size_flags(app, flags.batch, flags.sequence);
  app.add_option("--max-batch", flags.max_batch,
                 "Also try batches of 2x, 4x, ... up to N sequences, and keep the one with the "
                 "least time per sequence [only the batch of the job]")
      .check(positive_number())
      .type_name("N");
}

void add_strategy_flags(FlagSet app, PlaceFlags& flags) {
  app = app.under("Strategies");
  const Flag fix =
      app.add_option("--fix", flags.fix,
                     "Evaluate this strategy instead of searching, for example tp=8,pp=8,zero=1");
  fix.type_name("K=V,..").check(not_empty());
  app.add_option("--from-megatron", flags.megatron,
                 "Evaluate the strategy of a Megatron-LM command instead of searching. ARGS are "
                 "its arguments, or a file with them")
      .type_name("ARGS")
      .check(not_empty())
      .excludes(fix);
  app.add_option("--top", flags.top, "Number of strategies to print, 1 to 1000 [5]")
      .check(in_range(1, 1000))
      .type_name("N");
  app.add_option("--verify", flags.verify,
                 "Number of strategies to simulate, 0 to 1000 [20; 0 with --fix or "
                 "--from-megatron; 5 per job with --queue]")
      .check(in_range(0, 1000))
      .type_name("N");
  app.add_option("--fidelity", flags.fidelity,
                 "Model of the simulation (--verify): flow or analytic for whole steps, packet for "
                 "the collectives of a step one by one [flow]")
      .type_name("NAME");
  app.add_flag(
      "--whole-step", flags.whole_step,
      "Print the times of each pipeline stage and the critical path of the best strategy's step "
      "(docs/models/workload.md). This simulates the step even with --verify 0");
  app.add_option("--workload", flags.workload,
                 "Write one training step of the best strategy as a workload for railyard replay "
                 "(railyard schema workload)")
      .type_name("FILE")
      .check(not_empty());
  app.add_flag("--no-overlap", flags.no_overlap,
               "Search only strategies without overlap of collectives and computation");
  app.add_flag("--offload", flags.offload,
               "Also search strategies that keep weights, activations or optimizer state in host "
               "memory");
  app.add_option(
         "--also", flags.also,
         list_of("Also search settings that few frameworks support:", placement::further_names()))
      .delimiter(',')
      .type_name("NAME,..");
  app.add_option("--gemm-table", flags.gemm_tables,
                 "Measured times of matrix products on the GPU: CSV with the columns m,n,k,ms. "
                 "With several types of GPU: A=FILE,B=FILE [times by formula]")
      .delimiter(',')
      .one_argument()
      .type_name("FILE,..");
  app.add_option("--memory", flags.memory,
                 "Memory budget per GPU, for example 70GiB [the whole memory of the GPU]")
      .type_name("SIZE");
}

void add_mapping_flags(FlagSet app, PlaceFlags& flags) {
  app = app.under("Mapping of ranks to GPUs");
  app.add_option("--order", flags.order,
                 "Order of the parallel dimensions in which ranks are numbered, the fastest "
                 "varying first [tp-cp-dp-pp]")
      .type_name("ORDER");
  app.add_flag("--mapping", flags.mapping,
               "Search the mapping of ranks to GPUs with the least load on the busiest links [off: "
               "ranks in order; always on with --occupied]");
  app.add_option("--occupied", flags.occupied,
                 "Nodes in use: '0-3,9', or a file with the running jobs and their traffic "
                 "(railyard schema occupancy). The job is placed on free nodes; --gpus N then "
                 "selects N of the free GPUs. Also prints start options, and moves of running jobs "
                 "that would help [none]")
      .type_name("LIST|FILE");
  const Flag lost =
      app.add_option("--lost", flags.lost,
                     "Nodes that a running job (--fix or --from-megatron) loses, for example 3,17. "
                     "Prints the strategies with which the job can continue. With --gpus N it "
                     "continues on N GPUs, and free nodes replace the lost ones");
  lost.type_name("LIST");
  app.add_option("--added", flags.added,
                 "Number of nodes that a running job (--fix or --from-megatron) gains. Prints the "
                 "strategies with which the job can continue")
      .check(positive_number())
      .type_name("N")
      .excludes(lost);
  app.add_option(
         "--restart", flags.restart,
         "Restart downtime of a running job, for example 5min. Payback times include it [0]")
      .type_name("TIME");
}

void add_emit_flags(FlagSet app, PlaceFlags& flags) {
  app = app.under("Launch files");
  std::string what =
      "Write files that launch the best strategy: a folder for all formats, or one format to "
      "standard output:";
  for (const placement::LaunchFormat& format : placement::launch_formats())
    what += fmt::format(" {},", format.name);
  what.pop_back();
  app.add_option("--emit", flags.emit, what).type_name("DIR|FORMAT");
  app.add_option("--hosts", flags.hosts, "File with host names, one per line [node0, node1, ...]")
      .type_name("FILE");
  app.add_option("--cores", flags.cores, "CPU cores per host; required for a rankfile")
      .check(positive_number())
      .type_name("N");
  app.add_option(
         "--command", flags.command,
         "Bash command that the launch files start once per rank. It can use the arrays "
         "MEGATRON_ARGS and TRAIN_ARGS and the file names DEEPSPEED_CONFIG and TORCHTITAN_CONFIG "
         "[python pretrain_gpt.py \"${MEGATRON_ARGS[@]}\" \"${TRAIN_ARGS[@]}\"]")
      .type_name("TEXT");
}

}  // namespace

void add_place_flags(FlagSet app, PlaceFlags& flags) {
  add_cluster_flags(app, flags.cluster, true);
  add_job_flags(app, flags);
  add_strategy_flags(app, flags);
  add_mapping_flags(app, flags);
  add_objective_flags(app, flags.objective);
  add_fabric_flags(app, flags.fabric);
  app.add_option("--seed", flags.seed,
                 "Random seed for ECMP hashing, below 2^63 [the cluster file's, or 1]")
      .type_name("N")
      .group("Fabric");
  add_emit_flags(app, flags);
  app.add_flag("--wide", flags.wide,
               "Print all columns, the parts of the memory, and the time of each collective inside "
               "the step and alone");
  app.add_flag("--range", flags.range,
               "Add the column range_pct: the 80 % range of iteration_s (docs/models/ranges.md) "
               "[without this flag: only if a type of GPU was not fitted]");
  app.add_flag("--timeline", flags.timeline,
               "Add the forward and backward passes of a step and the GPU of each rank to --json, "
               "for railyard report");
  add_output_flags(app, flags.output);
  add_trace_flag(app, flags.output);
  app.footer(kFooter);
}

}  // namespace railyard::apps
