#include "apps/replay/replay_run.hpp"

#include <fmt/format.h>

#include <deque>
#include <set>

#include "apps/cli/announcer.hpp"
#include "apps/cli/thread_flag.hpp"
#include "apps/output/link_rows.hpp"
#include "apps/output/result_output.hpp"
#include "apps/replay/replay_engine.hpp"
#include "apps/replay/replay_jobs.hpp"
#include "apps/replay/replay_rows.hpp"
#include "apps/replay/usage_rows.hpp"
#include "collectives/formats/traces/chakra_workload.hpp"
#include "collectives/formats/traces/goal_export.hpp"
#include "collectives/formats/traces/import_workload.hpp"
#include "collectives/workload/workload_json.hpp"
#include "core/diagnostic.hpp"
#include "sim/unused_tiers.hpp"

namespace railyard::apps {
namespace {

std::string joined(const std::vector<std::string>& files) {
  return files.size() <= 1 ? (files.empty() ? "jobs" : files.front())
                           : fmt::format("{} and {} more", files.front(), files.size() - 1);
}

template <class T>
void append(std::vector<T> from, std::vector<T>& to) {
  for (T& one : from) to.push_back(std::move(one));
}

void check_flags(const ReplayFlags& flags) {
  check_output(flags.output);
  check_output_file("--write-workload", flags.workload);
  check_output_file("--write-goal", flags.goal);
  check_packet_flags(flags.packet, flags.fidelity);
  if (flags.expand && flags.fidelity == "packet")
    throw InputError("", "--expand", "packet simulation always simulates every rank separately",
                     "leave it out");
  const bool compares = !flags.compare_clusters.empty() || !flags.against.empty();
  if (!compares) return;
  for (const auto& [flag, value] :
       {std::pair{"--trace", &flags.output.trace}, std::pair{"--write-workload", &flags.workload},
        std::pair{"--write-chakra", &flags.chakra}, std::pair{"--write-goal", &flags.goal}})
    if (!value->empty())
      throw InputError("", flag, "supports only a single run",
                       "leave out --compare-cluster and --against");
}

/// The flags with a default time model: nominal for steps that `place` writes (docs/decisions/011),
/// and fitted for traces, which NCCL runs. Packet simulations have nominal times only.
ReplayFlags with_timing(ReplayFlags flags) {
  // Nominal times have no launch overhead of a benchmark harness.
  const auto timed = [&flags](std::string timing) {
    if (timing == "nominal") flags.timing.harness = TimingFlags().harness;
    flags.timing.timing = std::move(timing);
    return flags;
  };
  if (flags.fidelity == "packet") {
    if (flags.timing.timing == "fitted")
      throw InputError("", "--timing", "packet simulation uses nominal link rates and overheads",
                       "--timing nominal, or --fidelity flow");
    return timed("nominal");
  }
  if (!flags.timing.timing.empty()) return timed(flags.timing.timing);
  const bool is_own = flags.jobs.empty() && flags.against.empty() && flags.files.size() == 1 &&
                      collectives::is_own_workload(flags.files.front());
  return timed(is_own ? "nominal" : "fitted");
}

/// The runs of a replay, and their output.
class ReplayOutput {
 public:
  ReplayOutput(const ReplayFlags& flags, Context& context)
      : flags_(flags),
        context_(context),
        provenance_{.command = command_without_threads(context), .seed = flags.seed.value_or(1)} {}

  int run() {
    std::vector<ClusterFlags> clusters{flags_.cluster};
    for (const std::string& name : flags_.compare_clusters) {
      clusters.push_back(flags_.cluster);
      clusters.back().cluster = name;
    }
    for (const ClusterFlags& cluster : clusters) run_on(cluster);
    write();
    return ExitCode::done;
  }

 private:
  void run_on(const ClusterFlags& cluster) {
    ReplayEngine engine(flags_, cluster, provenance_);
    if (runs_.empty()) provenance_.seed = engine.routing().seed;
    std::vector<std::vector<std::string>> workloads{flags_.files};
    if (!flags_.against.empty()) workloads.push_back(flags_.against);
    for (const std::vector<std::string>& files : workloads) {
      replayed_.push_back(replayed_workload(flags_, files, engine.cluster(), provenance_));
      const collectives::ImportedJobs& replayed = replayed_.back();
      for (const std::string& note : replayed.notes) add_note(note);
      write_forms(replayed.workload, engine);
      runs_.push_back({.cluster = cluster.cluster,
                       .file = joined(files),
                       .replayed = &replayed,
                       .run = engine.run(replayed.workload, announcer(context_)),
                       .fidelity = flags_.fidelity,
                       .timing = flags_.timing.timing,
                       .routing = engine.routing()});
      keep(engine, replayed.workload);
    }
    for (const std::string& note : engine.notes()) add_note(note);
  }

  void add_note(const std::string& note) {
    if (notes_.insert(note).second) print_note(context_, note);
  }

  /// Writes the files of --write-workload, --write-goal and --write-chakra.
  void write_forms(const collectives::Workload& workload, ReplayEngine& engine) {
    if (!flags_.workload.empty())
      write_text(collectives::write_workload(workload), flags_.workload, context_);
    if (!flags_.goal.empty()) {
      const collectives::Communications communications(workload);
      const auto schedules = engine.schedules(communications);
      write_text(collectives::goal_of_workload(communications, schedules), flags_.goal, context_);
      if (std::ranges::any_of(schedules, [](const auto& s) { return s && !s->reducers().empty(); }))
        add_note(
            fmt::format("{}: the file contains additional ranks, which represent switches that "
                        "reduce; with --env NCCL_NVLS_ENABLE=0 it does not",
                        flags_.goal));
    }
    if (flags_.chakra.empty()) return;
    const auto traces = collectives::chakra_of_workload(workload);
    for (std::size_t rank = 0; rank < traces.size(); ++rank)
      write_text(collectives::write_chakra(traces[rank]),
                 fmt::format("{}.{}.et", flags_.chakra, rank), context_);
  }

  void keep(ReplayEngine& engine, const collectives::Workload& workload) {
    const collectives::WorkloadRun& run = runs_.back().run;
    const std::size_t row = runs_.size() - 1;
    const topology::Cluster& cluster = engine.cluster();
    notes_.insert(run.notes.begin(), run.notes.end());
    collectives::Run links;
    links.link_loads = run.link_loads;
    for (const std::string& note : sim::notes_on_unused_tiers(cluster, links)) add_note(note);
    if (!flags_.links) return;
    append(link_rows(cluster, run.link_loads, row, run.total), links_);
    const sim::LinkUsage usage = engine.usage(workload, run);
    append(critical_tier_rows(cluster, usage, row, run.total), critical_tiers_);
    if (flags_.output.json.empty()) return;
    append(usage_rows(cluster, usage, row, run.total), usage_);
    append(cable_rows(cluster, run.link_loads, row, run.total), cables_);
  }

  void write() {
    add_facts();
    provenance_.notes.assign(notes_.begin(), notes_.end());
    const ReplayRun& first = runs_.front();
    write_timeline(trace_events(first.replayed->workload, first.run),
                   trace_arrows(first.replayed->workload, first.run), flags_.output, context_);
    ReplayTables tables = tabulate_replay(runs_);
    write_result({.kind = "replay",
                  .provenance = provenance_,
                  .rows = std::move(tables.operations),
                  .sections = {{"runs", std::move(tables.runs)},
                               {"classes", std::move(tables.classes)},
                               {"critical_path", std::move(tables.critical_path)},
                               {"critical_steps", std::move(tables.critical_steps), false},
                               {"links", tabulate_links(links_)},
                               {"critical_tiers", tabulate_critical_tiers(critical_tiers_)},
                               {"link_timeline", tabulate_usage(usage_), false},
                               {"cables", tabulate_cables(cables_), false}},
                  .summary = std::move(tables.printed)},
                 flags_.output, context_);
  }

  void add_facts() {
    provenance_.facts.emplace_back("cluster", flags_.cluster.cluster);
    provenance_.facts.emplace_back("fidelity", flags_.fidelity);
    provenance_.facts.emplace_back("ranks",
                                   fmt::format("{}", runs_.front().replayed->workload.ranks()));
  }

  const ReplayFlags& flags_;
  Context& context_;
  Provenance provenance_;
  std::deque<collectives::ImportedJobs> replayed_;  ///< owns what the runs refer to
  std::vector<ReplayRun> runs_;
  std::vector<LinkRow> links_;
  std::vector<CableRow> cables_;
  std::vector<CriticalTierRow> critical_tiers_;
  std::vector<UsageRow> usage_;
  std::set<std::string> notes_;
};

}  // namespace

int run_replay(const ReplayFlags& flags, Context& context) {
  check_flags(flags);
  const ReplayFlags timed = with_timing(flags);
  return ReplayOutput(timed, context).run();
}

}  // namespace railyard::apps
