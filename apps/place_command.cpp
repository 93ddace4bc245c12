#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <csignal>
#include <memory>
#include <ostream>

#include "apps/commands.hpp"
#include "apps/result_output.hpp"
#include "apps/setting.hpp"
#include "apps/strategy_rows.hpp"
#include "core/diagnostic.hpp"
#include "placement/closed_form.hpp"
#include "placement/search.hpp"
#include "placement/strategy_check.hpp"

namespace railyard::apps {
namespace {

struct PlaceFlags {
  ClusterFlags cluster;
  std::string job, fix, order = "tp-cp-dp-pp", gemm_table;
  std::optional<int> batch;
  int top = 5;
  bool no_overlap = false, offload = false;
  OutputFlags output;
};

// Set by ctrl-C while a search runs; a signal handler may write nothing else.
volatile std::sig_atomic_t interrupted = 0;

/// Catches ctrl-C for as long as it lives.
class Interruptible {
 public:
  Interruptible() : before_(std::signal(SIGINT, [](int) { interrupted = 1; })) { interrupted = 0; }
  ~Interruptible() { std::signal(SIGINT, before_); }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  void (*before_)(int);
};

/// Everything that a cost is computed from.
struct Question {
  placement::Job job;
  placement::Processor gpu;
  placement::ClosedForm communication;
  placement::DimensionOrder order;
  int gpus = 0, gpus_per_node = 1;

  [[nodiscard]] placement::CostContext context() {
    return {.job = job,
            .gpu = gpu,
            .communication = communication,
            .gpus_per_node = gpus_per_node,
            .order = order};
  }
};

Question read_question(const PlaceFlags& flags, Provenance& provenance) {
  const topology::Cluster cluster = load_cluster(flags.cluster, provenance);
  add_facts(flags.cluster, cluster, provenance);
  const placement::NodeFabric fabric = placement::node_fabric(cluster);
  Question q{.job = placement::read_job(flags.job),
             .gpu = placement::find_processor(cluster.spec().node_specs.front().gpu),
             .communication = placement::ClosedForm(fabric),
             .order = placement::parse_order(flags.order, "--order"),
             .gpus = static_cast<int>(cluster.rank_count()),
             .gpus_per_node = static_cast<int>(fabric.gpus_per_node)};
  if (!flags.cluster.ranks.empty())
    throw InputError("", "--ranks", "place takes the first GPUs of the cluster", "--gpus N");
  if (flags.cluster.gpus) q.gpus = *flags.cluster.gpus;
  if (q.gpus < 1 || static_cast<std::size_t>(q.gpus) > cluster.rank_count())
    throw InputError("", "--gpus", fmt::format("the cluster has {} GPUs", cluster.rank_count()));
  if (flags.batch) q.job.batch = *flags.batch;
  if (!flags.gemm_table.empty()) q.gpu.measured = placement::GemmTable::read(flags.gemm_table);
  provenance.facts.emplace_back("job", flags.job);
  provenance.facts.emplace_back("batch", fmt::format("{}", q.job.batch));
  (void)placement::peak(q.gpu, q.job.precision);
  return q;
}

/// The one strategy of --fix; dp is what the GPUs leave where it is not given.
placement::Scored fixed(const PlaceFlags& flags, Question& q) {
  placement::Strategy s;
  placement::parse_strategy(flags.fix, "--fix", s);
  const int rest = s.tp * s.pp * s.cp;
  if (flags.fix.find("dp=") == std::string::npos && q.gpus % rest == 0) s.dp = q.gpus / rest;
  auto problems = placement::strategy_problems(q.job, s, q.gpus, "--fix");
  if (!problems.empty()) throw InputError(std::move(problems));
  return placement::score(q.context(), s);
}

std::vector<placement::Scored> searched(const PlaceFlags& flags, Question& q,
                                        Provenance& provenance, Context& context) {
  placement::SearchSpace space{
      .gpus = q.gpus, .top = flags.top, .overlap = !flags.no_overlap, .offload = flags.offload};
  const Interruptible guard;
  space.keep_going = [&](double done) {
    if (context.err_is_terminal)
      context.err << fmt::format("\rsearching {:3.0f} %", 100 * done) << std::flush;
    return interrupted == 0;
  };
  const placement::SearchResult result = placement::search(q.context(), space);
  if (context.err_is_terminal) context.err << "\r\033[K";
  provenance.notes.push_back(fmt::format(
      "{} strategies: {} costed, {} do not fit, {} slower than the best by their bound{}",
      result.strategies, result.evaluated, result.too_large, result.too_slow,
      result.stopped ? "; stopped before the end" : ""));
  print_note(context, provenance.notes.back());
  if (!result.best.empty()) return result.best;
  if (!result.nearest)
    throw InputError("", "--job",
                     fmt::format("no strategy divides {} over {} GPUs", q.job.name, q.gpus),
                     "another number of GPUs, or another --batch");
  print_note(context, "nothing fits; the nearest:");
  return {*result.nearest};
}

int run_place(const PlaceFlags& flags, Context& context) {
  check_output(flags.output);
  Provenance provenance{.command = context.command, .facts = {}, .configs = {}, .seed = 0};
  Question q = read_question(flags, provenance);
  const auto found =
      flags.fix.empty() ? searched(flags, q, provenance, context) : std::vector{fixed(flags, q)};
  std::vector<StrategyRow> rows;
  for (const placement::Scored& scored : found) rows.push_back(strategy_row(q.context(), scored));
  write_result({.kind = "strategies",
                .provenance = provenance,
                .rows = tabulate_strategies(rows),
                .sections = {{"memory", tabulate_memory(rows)}}},
               flags.output, context);
  if (found.size() > 1)
    print_note(context, fmt::format("the second takes longer: {}",
                                    placement::why_slower(found[0], found[1])));
  return found.front().fits ? ExitCode::done : ExitCode::finding;
}

constexpr const char* kExamples =
    "Searches the parallel strategies of a training job on a cluster and prints the fastest that "
    "fit, "
    "with\nwhat a step spends where and what bounds it; or scores the one of --fix. A strategy is "
    "written "
    "as\ntp=8,pp=8,zero=1,micro_batch=2,recompute=full; keys that are left out are 1, none or "
    "false, dp is "
    "what\nthe GPUs leave. Costs are by formula (docs/models/step.md). Exit code 1: nothing fits. "
    "Ctrl-C "
    "ends a\nsearch with the best so far.\n"
    "\n"
    "Examples:\n"
    "  railyard place --cluster dgx_a100_hdr200 --nodes 128 --job gpt3_175b\n"
    "  railyard place --cluster dgx_h100_ndr400 --nodes 8 --job llama3_8b --fix tp=2,dp=32,zero=1 "
    "--json -\n"
    "  railyard place --cluster dgx_a100_hdr200 --nodes 512 --job gpt3_175b --batch 4096 --offload";

}  // namespace

RunCommand add_place(CLI::App& app) {
  const auto flags = std::make_shared<PlaceFlags>();
  add_cluster_flags(app, flags->cluster, true);
  app.add_option("--job", flags->job, "name in configs/jobs, or a file")
      ->required()
      ->type_name("JOB");
  app.add_option("--batch", flags->batch, "sequences of a step, instead of the job's")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  app.add_option("--fix", flags->fix, "score this strategy alone: tp=8,pp=8,zero=1")
      ->type_name("K=V,..");
  app.add_option("--top", flags->top, "how many of the best to print (5)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  app.add_option("--order", flags->order,
                 "dimensions along the GPUs, neighbours first (tp-cp-dp-pp)")
      ->type_name("ORDER");
  app.add_flag("--no-overlap", flags->no_overlap, "no strategies that hide collectives");
  app.add_flag("--offload", flags->offload, "also strategies that keep state in host memory");
  app.add_option("--gemm-table", flags->gemm_table,
                 "measured products of the GPU: CSV with m,n,k,ms")
      ->type_name("FILE");
  add_output_flags(app, flags->output);
  app.footer(kExamples);
  return [flags](Context& context) { return run_place(*flags, context); };
}

}  // namespace railyard::apps
