#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "apps/cli/commands.hpp"
#include "apps/output/result_output.hpp"
#include "apps/output/strategy_rows.hpp"
#include "apps/place/candidates.hpp"
#include "apps/place/elastic.hpp"
#include "apps/place/emit.hpp"
#include "apps/place/interruptible.hpp"
#include "apps/place/mixed.hpp"
#include "apps/place/outlooks.hpp"
#include "apps/place/queue.hpp"
#include "apps/place/repacking.hpp"
#include "apps/place/search_space.hpp"
#include "apps/place/starts.hpp"
#include "apps/place/step_sections.hpp"
#include "apps/place/units.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using placement::Verified;

/// A strategy as the engine found it, where it ran it.
placement::Scored as_run(const Verified& one) {
  placement::Scored scored = one.scored;
  if (one.simulated) scored.step = *one.simulated;
  return scored;
}

std::vector<StrategyRow> rows_of(Question& q, const std::vector<Verified>& found) {
  std::vector<StrategyRow> rows;
  for (const Verified& one : found) {
    StrategyRow row = strategy_row(q.context(), one.scored);
    if (one.simulated) row.simulated_s = one.simulated->total.seconds();
    rows.push_back(std::move(row));
  }
  return rows;
}

/// What is said below the table.
void explain(const std::vector<Verified>& found, Context& context) {
  if (found.size() < 2) return;
  print_note(context, fmt::format("the best, for --fix: {}",
                                  placement::to_text(found.front().scored.strategy)));
  const bool both = found[0].simulated.has_value() == found[1].simulated.has_value();
  const auto first = both ? as_run(found[0]) : found[0].scored;
  const auto second = both ? as_run(found[1]) : found[1].scored;
  print_note(context,
             fmt::format("the second takes longer: {}", placement::why_slower(first, second)));
}

void check_emit(const PlaceFlags& flags) {
  const bool prints = std::ranges::any_of(flags.emit, is_launch_format);
  if (prints && (flags.output.json == "-" || flags.output.csv == "-" || flags.output.trace == "-"))
    throw InputError("", "--emit", "a format goes to standard output, as another flag does",
                     "name a folder: --emit DIR");
}

/// The ranks' GPUs, and where they were looked for how good they are.
placement::Mapping mapped(const PlaceFlags& flags, Question& q, const Mapper& mapper,
                          const Verified& best, ResultDocument& document, Context& context) {
  const placement::Strategy& s = best.scored.strategy;
  if (!mapper.searches()) {
    const bool wanted = flags.timeline || !flags.emit.empty();
    return wanted ? mapper.mappings(s).front() : placement::Mapping{};
  }
  const std::vector<Mapper::Way> ways = mapper.ways(s);
  placement::Mapping mapping =
      way_taken(ways, best.mapping, best.simulated.has_value(), context).choice.mapping;
  document.sections.push_back({"mapping", tabulate_ways(ways)});
  document.sections.push_back(
      {"phases", tabulate_phases(mapper.tiers(), mapper.loads(s, mapping))});
  if (!q.occupancy.empty()) {
    document.sections.push_back({"units", tabulate_units(q, mapper.tiers(), mapping)});
    if (!q.occupancy.jobs.empty())
      document.sections.push_back({"repacking", tabulate_repacking(flags, q, s)});
    if (knows_ends(q.occupancy))
      document.sections.push_back({"starts", tabulate_starts(flags, q, s)});
  }
  return mapping;
}

/// What a report draws: of the file alone.
void add_drawings(Question& q, const Verified& best, const placement::Mapping& mapping,
                  ResultDocument& document) {
  const auto events = timeline_of(q, best, kShownMicroBatches);
  document.sections.push_back({"timeline", tabulate_timeline(events), false});
  document.sections.push_back(
      {"ranks", tabulate_ranks(q.cluster, best.scored.strategy, mapping), false});
}

int run_place(const PlaceFlags& flags, Context& context) {
  check_output(flags.output);
  check_emit(flags);
  if (!flags.queue.empty()) return run_queue(flags, context);
  if (flags.is_elastic()) return run_elastic(flags, context);
  Provenance provenance{.command = context.command, .facts = {}, .configs = {}, .seed = 0};
  Question q = read_question(flags, provenance);
  if (is_mixed(flags, q)) return run_mixed(flags, q, provenance, context);
  const Interruptible guard(flags.interruptible);
  const std::vector<CountOutlook> counts = choose_gpus(flags, q, context);
  for (auto& [name, value] : provenance.facts)
    if (name == "batch") value = fmt::format("{}", q.job.batch);
  const Mapper mapper(q, flags.mapping || !q.occupancy.empty());
  const std::vector<Verified> found =
      candidates_of(flags, q, mapper, provenance, context, chosen_of(counts));
  const placement::Strategy& best = found.front().scored.strategy;
  const std::vector<StrategyRow> rows = rows_of(q, found);
  ResultDocument document{.kind = "strategies",
                          .provenance = provenance,
                          .rows = tabulate_strategies(rows),
                          .sections = {{"memory", tabulate_memory(rows), flags.wide}}};
  if (!flags.wide) document.summary = summarise_strategies(rows);
  const bool in_time = add_outlooks(flags, q, found, counts, document);
  const placement::Mapping mapping = mapped(flags, q, mapper, found.front(), document, context);
  if (flags.timeline) add_drawings(q, found.front(), mapping, document);
  write_step_trace(flags, q, found.front(), context);
  const bool prints = std::ranges::any_of(flags.emit, is_launch_format);
  if (!prints || !flags.output.json.empty() || !flags.output.csv.empty())
    write_result(document, flags.output, context, prints ? Table::no : Table::yes);
  explain(found, context);
  for (const std::string& text : rate_notes(flags, q)) print_note(context, text);
  emit({.flags = flags, .question = q, .strategy = best, .mapping = mapping}, context);
  if (!in_time) print_note(context, "the best takes longer than --max-days");
  return found.front().scored.fits && in_time ? ExitCode::done : ExitCode::finding;
}

constexpr const char* kExamples =
    "Searches the parallel strategies of a training job on a cluster, runs the collectives of the "
    "best 20 on\nthe simulated fabric (--verify), and prints the fastest that fit; or scores the "
    "one of --fix or\n--from-megatron. A strategy is written as "
    "tp=8,pp=8,zero=1,micro_batch=2,recompute=full; keys that are\nleft out are 1, none or false, "
    "dp is what the GPUs leave (railyard schema strategy --docs: all\nkeys). iteration_s is by "
    "formula\n(docs/models/step.md), simulated_s with "
    "the collectives as simulated. --mapping looks for the GPU of\neach rank that makes the "
    "busiest links least busy. Exit code 1: nothing fits. Ctrl-C ends with the best\nso far.\n"
    "\n"
    "Examples:\n"
    "  railyard place --cluster dgx_a100_hdr200 --nodes 128 --job gpt3_175b\n"
    "  railyard place --cluster dgx_h100_ndr400 --nodes 8 --job llama3_8b --fix tp=2,dp=32,zero=1 "
    "--json -\n"
    "  railyard place --cluster clos_baidu_roce --nodes 32 --job gpt3_175b --mapping --emit "
    "launch\n"
    "  railyard place --cluster dgx_h100_ndr400 --nodes 64 --job llama3_70b --occupied 0-7,12 "
    "--gpus 256\n"
    "  railyard place --cluster dgx_h100_ndr400 --nodes 32 --job gpt3_175b --from-megatron "
    "args.txt\n"
    "  railyard place --cluster dgx_h100_ndr400 --nodes 32 --job gpt3_175b --fix "
    "tp=8,pp=4,zero=1,recompute=full --lost 3,17";

void add_strategy_flags(CLI::App& app, PlaceFlags& flags) {
  const char* group = "Strategies";
  auto* fix = app.add_option("--fix", flags.fix, "score this strategy alone: tp=8,pp=8,zero=1");
  fix->type_name("K=V,..")->group(group);
  app.add_option("--from-megatron", flags.megatron,
                 "score what Megatron-LM arguments say: the arguments, or a file with them")
      ->type_name("ARGS")
      ->excludes(fix)
      ->group(group);
  app.add_option("--top", flags.top, "how many of the best to print (5)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N")
      ->group(group);
  app.add_option("--verify", flags.verify,
                 "how many of the best are simulated (20; with --fix none)")
      ->check(CLI::Range(0, 1000))
      ->type_name("N")
      ->group(group);
  app.add_option("--fidelity", flags.fidelity, "of --verify: flow or analytic (flow)")
      ->type_name("NAME")
      ->group(group);
  app.add_flag("--no-overlap", flags.no_overlap, "no strategies that hide collectives")
      ->group(group);
  app.add_flag("--offload", flags.offload, "also strategies that keep state in host memory")
      ->group(group);
  std::string further = "search this too, which few frameworks have:";
  for (const auto& [name, text] : further_names()) further += fmt::format(" {} ({}),", name, text);
  further.pop_back();
  app.add_option("--also", flags.also, further)->delimiter(',')->type_name("NAME,..")->group(group);
  app.add_option("--gemm-table", flags.gemm_table,
                 "measured products of the GPU: CSV with m,n,k,ms")
      ->type_name("FILE")
      ->group(group);
}

void add_mapping_flags(CLI::App& app, PlaceFlags& flags) {
  const char* group = "Ranks";
  app.add_option("--order", flags.order,
                 "dimensions along the GPUs, neighbours first (tp-cp-dp-pp)")
      ->type_name("ORDER")
      ->group(group);
  app.add_flag("--mapping", flags.mapping, "look for the best GPU of each rank")->group(group);
  app.add_option("--occupied", flags.occupied,
                 "taken nodes, '0-3,9', or a file that says who is on them: choose among the free")
      ->type_name("LIST|FILE")
      ->group(group);
  auto* lost = app.add_option("--lost", flags.lost,
                              "nodes that a running job (--fix) loses: what it should become");
  lost->type_name("LIST")->group(group);
  app.add_option("--added", flags.added, "so many nodes more for a running job (--fix)")
      ->check(CLI::PositiveNumber)
      ->type_name("N")
      ->excludes(lost)
      ->group(group);
  app.add_option("--restart", flags.restart,
                 "how long a running job stands still when it is started again: 5min")
      ->type_name("TIME")
      ->group(group);
}

void add_emit_flags(CLI::App& app, PlaceFlags& flags) {
  const char* group = "Launching";
  std::string what =
      "write files that launch the best: a folder for all, or one format to "
      "standard output:";
  for (const auto& [name, text] : launch_formats()) what += fmt::format(" {},", name);
  what.back() = ' ';
  what.pop_back();
  app.add_option("--emit", flags.emit, what)->type_name("DIR|FORMAT")->group(group);
  app.add_option("--hosts", flags.hosts, "names of the nodes, one a line (node0, node1, ...)")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--cores", flags.cores, "cores of a host, for rankfiles")
      ->check(CLI::PositiveNumber)
      ->type_name("N")
      ->group(group);
  app.add_option("--command", flags.command, "what the launch files start")
      ->type_name("TEXT")
      ->group(group);
}

}  // namespace

RunCommand add_place(CLI::App& app) {
  const auto flags = std::make_shared<PlaceFlags>();
  add_cluster_flags(app, flags->cluster, true);
  app.add_option("--job", flags->job, "name in configs/jobs, or a file")->type_name("JOB");
  app.add_option("--queue", flags->queue,
                 "several jobs that are to be placed together (railyard schema queue)")
      ->type_name("FILE");
  app.add_option("--batch", flags->batch, "sequences of a step, instead of the job's")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  app.add_option("--max-batch", flags->max_batch,
                 "take the batch doubled, or doubled again, up to N, where a sequence takes less")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  add_strategy_flags(app, *flags);
  add_mapping_flags(app, *flags);
  add_objective_flags(app, flags->objective);
  add_fabric_flags(app, flags->fabric);
  add_emit_flags(app, *flags);
  app.add_flag("--wide", flags->wide, "every column, and memory by part");
  app.add_flag("--timeline", flags->timeline,
               "with --json: the passes of a step and the GPU of each rank too, for the report");
  add_output_flags(app, flags->output);
  add_trace_flag(app, flags->output);
  app.footer(kExamples);
  return [flags](Context& context) { return run_place(*flags, context); };
}

}  // namespace railyard::apps
