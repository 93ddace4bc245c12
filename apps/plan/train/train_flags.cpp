#include "apps/plan/train/train_flags.hpp"

#include "apps/cli/job_size_flags.hpp"
#include "apps/cli/thread_flag.hpp"
#include "apps/plan/candidate_flags.hpp"

namespace railyard::apps {
namespace {

constexpr const char* kFooter = R"(
Searches the best strategy for each candidate cluster and number of GPUs, simulates its training with
failures, and prints the cheapest, the fastest and the Pareto set within the limits. The step time is
predicted as in 'railyard place'. Days include failures and checkpoints (docs/models/plan.md, goodput.md).
The table 'assumptions' lists all numbers that no config contains; --assume sets them.

Exit codes: 0 done; 1 nothing is within the limits: the nearest is printed; 2 wrong input.

Examples:
  railyard plan train --model llama3_70b --tokens 15T --deadline 90days --budget '$40M' --candidates
    dgx_h100_ndr400,hgx_h200_ndr400 --gpus 512..4096
  railyard plan train --job gpt3_175b --candidates dgx_a100_hdr200 --gpus 1024 --price '$1.5' --what-helps
  railyard plan train --model llama3_8b --candidates dgx_h100_ndr400 --gpus 64,128 --assume detection=1min,pue=1.1)";

void add_job_flags(FlagSet app, TrainFlags& flags) {
  const Flag model =
      app.add_option("--model", flags.model,
                     "Model to train: a name in configs/models, a model file, or a config.json of "
                     "Hugging Face. Batch and precision come from the job of the same name in "
                     "configs/jobs [without such a job: 4M tokens per step, bf16]");
  model.type_name("MODEL");
  app.add_option("--job", flags.job, "Training job: a name in configs/jobs, or a file")
      .type_name("JOB")
      .excludes(model);
  app.add_option("--tokens", flags.tokens,
                 "Number of tokens to train on, with K, M, B or T: 15T [as in the job, else the "
                 "compute-optimal number of Hoffmann et al.]")
      .type_name("COUNT");
  add_job_size_flags(app, flags.batch, flags.sequence);
  add_candidates_flag(app, flags.candidates);
  app.add_option("--gpus", flags.gpus,
                 "Numbers of GPUs to compare: a list '512,1024', or a range '512..8192' in steps "
                 "of 2x [the whole cluster, a half, a quarter and an eighth]")
      .type_name("LIST|A..B");
}

void add_limit_flags(FlagSet app, TrainFlags& flags) {
  app = app.under("Limits and prices");
  app.add_option("--deadline", flags.deadline,
                 "Longest training to accept, failures included: 60days [no limit]")
      .type_name("TIME");
  app.add_option("--budget", flags.budget,
                 "Highest total rent, with its currency: '$20M' [no limit]")
      .type_name("MONEY");
  app.add_option("--power-limit", flags.power_limit,
                 "Highest power of the building while all GPUs compute: 2MW [no limit]")
      .type_name("POWER");
  (void)add_rent_flag(app, flags.price);
  app.add_option("--purchase", flags.purchase,
                 "Purchase price per GPU, with its share of node and network. Adds the cost of "
                 "buying the cluster to the result [rent only]")
      .type_name("MONEY");
  app.add_option(
         "--assume", flags.assume,
         "Set values of the table 'assumptions': pue=1.2,detection=5min [the values in that table]")
      .delimiter(',')
      .type_name("KEY=VALUE,..");
}

void add_failure_flags(FlagSet app, TrainFlags& flags) {
  app = app.under("Failures");
  app.add_option("--failures", flags.failures,
                 "Failure rates: a name in configs/failures, a file, or a trace of failures to "
                 "replay (.csv with the columns node, start_day, end_day, class) [llama3]")
      .type_name("NAME|FILE");
  app.add_option("--failure-rate", flags.failure_rate,
                 "Set failure rates by cause, in failures per component and year: gpu=0.09 [as in "
                 "--failures]")
      .delimiter(',')
      .type_name("CAUSE=RATE,..");
  app.add_option("--trace-nodes", flags.trace_nodes,
                 "Number of nodes of the cluster on which the trace of --failures was recorded "
                 "[highest node number + 1]")
      .check(positive_number())
      .type_name("N");
  app.add_option("--spares", flags.spares,
                 "Number of spare nodes, at least 0 [enough for all nodes under repair in 95 % of "
                 "the time]")
      .check(at_least(0))
      .type_name("N");
  app.add_option("--without-spare", flags.without_spare,
                 "Reaction to a failed node without a free spare: wait (for its repair), shrink "
                 "(continue on the remaining nodes with their best strategy), or fastest (the "
                 "faster of both, for each failure) [fastest]")
      .check(one_of({"fastest", "wait", "shrink"}))
      .type_name("WHAT");
  app.add_option("--checkpoint", flags.checkpoint,
                 "Target of checkpoints: storage (training stops during the write), asynchronous "
                 "(host memory first, then storage in the background), or peers (memory of other "
                 "nodes) [asynchronous]")
      .check(one_of({"storage", "asynchronous", "peers"}))
      .type_name("KIND");
  app.add_option("--checkpoint-interval", flags.interval,
                 "Training time between checkpoints: 20min [the optimum by formula]")
      .type_name("TIME");
  app.add_option("--runs", flags.runs,
                 "Number of trainings to simulate per option, 2 to 100000 [100]")
      .check(in_range(2, 100'000))
      .type_name("N");
  app.add_option("--seed", flags.seed, "Random seed for failures and repairs [1]").type_name("N");
}

}  // namespace

void add_train_flags(FlagSet app, TrainFlags& flags) {
  add_job_flags(app, flags);
  add_limit_flags(app, flags);
  add_failure_flags(app, flags);
  app.add_option("--verify", flags.verify,
                 "Number of strategies to simulate per candidate and number of GPUs, 0 to 1000 [5]")
      .check(in_range(0, 1000))
      .type_name("N");
  app.add_option("--efficiency", flags.efficiency,
                 "Lowest acceptable scaling efficiency, 0 to 1. Below it, strong_limit and "
                 "weak_limit in the table 'scaling' print the cause [0.8]")
      .check(in_range(0.0, 1.0))
      .type_name("SHARE");
  app.add_flag("--what-helps", flags.improvements,
               "Print how days and cost change with faster NICs, larger NVLink domains, another "
               "oversubscription, more memory, and other batches. Each change starts a new search");
  app.add_flag("--grey-failures", flags.grey_failures,
               "Also simulate grey failures, that is components that work, but slowly: a slow GPU, "
               "a NIC at half rate, a flapping link, a lost link, uneven ECMP. The step is "
               "simulated on the fabric once with each");
  app.add_flag("--wide", flags.wide, "Print all columns");
  add_threads_flag(app, flags.threads);
  add_output_flags(app, flags.output);
  app.footer(kFooter);
}

}  // namespace railyard::apps
