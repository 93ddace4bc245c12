#include "apps/sim_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "apps/choice.hpp"
#include "apps/collective_rows.hpp"
#include "apps/engine.hpp"
#include "apps/job_list.hpp"
#include "apps/job_rows.hpp"
#include "apps/link_rows.hpp"
#include "apps/progress.hpp"
#include "apps/result_output.hpp"
#include "apps/setting.hpp"
#include "collectives/verify.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using collectives::Group;
using collectives::Measurement;
using collectives::Run;
using collectives::Schedule;
using collectives::Task;

EngineOptions engine_options(const SimFlags& flags, const topology::Cluster& cluster) {
  EngineOptions options{.fidelity = flags.fidelity,
                        .routing = routing_of(cluster, flags.fabric, flags.collective.seed),
                        .faults = faults_of(cluster, flags.fabric),
                        .expand = flags.expand,
                        .timeline = !flags.output.trace.empty(),
                        .certify = flags.certify,
                        .coalesce = Time()};
  if (flags.coalesce.empty()) return options;
  const auto coalesce = core::parse_time(flags.coalesce);
  if (!coalesce.value) throw InputError("", "--coalesce", coalesce.error);
  options.coalesce = *coalesce.value;
  return options;
}

/// A simulation: the cluster, the engine that runs on it, and the analytic one that chooses.
class Simulation {
 public:
  Simulation(const SimFlags& flags, Context& context)
      : flags_(flags),
        context_(context),
        cluster_(load_cluster(flags.cluster, provenance_)),
        engine_(make_engine(cluster_, engine_options(flags, cluster_))),
        analytic_(make_engine(cluster_, {.fidelity = "analytic",
                                         .routing = routing_of(cluster_, flags.fabric,
                                                               flags.collective.seed),
                                         .faults = {}})) {
    provenance_.command = context.command;
    provenance_.seed = flags.collective.seed;
  }

  int run() {
    const auto group = group_of(cluster_, flags_.cluster);
    if (!flags_.jobs.empty()) return run_jobs(parse_jobs(cluster_, flags_.jobs, flags_.collective));
    if (flags_.groups.empty()) return run_sizes(group);
    const std::vector<Bytes> sizes = sizes_of(flags_.collective);
    if (sizes.size() > 1) throw InputError("", "--groups", "takes one size", "use --bytes");
    CollectiveFlags one = flags_.collective;
    one.bytes = fmt::format("{}", sizes.front().count());
    return run_jobs(split_jobs(cluster_, *group, flags_.groups, one));
  }

 private:
  Schedule schedule(std::shared_ptr<const Group> group, const CollectiveFlags& flags, Bytes bytes) {
    collectives::Collective collective = collective_of(flags);
    collective.bytes = bytes;
    Schedule chosen = chosen_schedule(
        {.cluster = cluster_,
         .group = std::move(group),
         .collective = collective,
         .algorithm = flags.algorithm,
         .protocol = protocol_of(flags),
         .channels = flags.channels,
         .environment = read_nccl_environment(flags_.nccl.environment, collective.kind)},
        *analytic_);
    if (flags_.verify) check(chosen);
    return chosen;
  }

  void check(const Schedule& schedule) {
    // The proof's cost grows with the transfers times what they carry (collectives/verify.hpp).
    constexpr std::uint32_t kMostRanks = 1024;
    if (schedule.group().size() > kMostRanks) {
      throw InputError("", "--verify", fmt::format("proves schedules of up to {} ranks", kMostRanks),
                       "an algorithm's schedules are alike at any size: take fewer with --gpus");
    }
    for (const std::string& problem : collectives::verify(schedule)) {
      print_error(context_, fmt::format("schedule '{}': {}", schedule.algorithm(), problem));
      verified_ = false;
    }
  }

  int run_sizes(const std::shared_ptr<const Group>& group) {
    const std::vector<Bytes> sizes = sizes_of(flags_.collective);
    if (sizes.size() > 1 && !flags_.output.trace.empty()) {
      throw InputError("", "--trace", "shows one size", "use --bytes");
    }
    std::vector<Measurement> rows;
    Progress progress(context_, sizes.size());
    for (const Bytes size : sizes) {
      progress.next(size_text(size.count()));
      const Schedule chosen = schedule(group, flags_.collective, size);
      const Task task{.schedule = &chosen, .start = Time(), .name = {}};
      const Run run = engine_->run({&task, 1});
      rows.push_back(measure(chosen, run.tasks.front(), engine_->name(), flags_.collective.seed));
      finish(run, rows.size() - 1, rows.back().time);
    }
    return write("sim", tabulate(collective_columns(), std::span<const Measurement>(rows)));
  }

  int run_jobs(const std::vector<Job>& jobs) {
    std::vector<Schedule> schedules;
    std::vector<Task> tasks;
    for (const Job& job : jobs) {
      schedules.push_back(schedule(job.group, job.flags, size_of_flag(job.flags.bytes, "--job")));
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      tasks.push_back({.schedule = &schedules[i], .start = jobs[i].start, .name = jobs[i].name});
    }
    const Run run = engine_->run(tasks);
    std::vector<JobRow> rows;
    Time end;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const auto& result = run.tasks[i];
      rows.push_back({jobs[i].name, result.start, result.finish,
                      measure(schedules[i], result, engine_->name(), flags_.collective.seed)});
      end = std::max(end, result.finish);
    }
    finish(run, 0, end);
    return write("jobs", tabulate_jobs(rows));
  }

  /// What a run leaves beside its row.
  void finish(const Run& run, std::size_t row, Time span) {
    if (flags_.links) {
      const auto links = link_rows(cluster_, run, row, span);
      links_.insert(links_.end(), links.begin(), links.end());
    }
    notes_.insert(run.notes.begin(), run.notes.end());
    write_trace_file(run, flags_.output, context_);
  }

  int write(std::string_view kind, RowTable rows) {
    for (const std::string& note : notes_) print_note(context_, note);
    write_result({.kind = kind,
                  .provenance = provenance_,
                  .rows = std::move(rows),
                  .links = flags_.links ? tabulate_links(links_) : RowTable{}},
                 flags_.output, context_);
    return verified_ ? ExitCode::done : ExitCode::finding;
  }

  const SimFlags& flags_;
  Context& context_;
  Provenance provenance_;
  topology::Cluster cluster_;
  std::unique_ptr<collectives::Executor> engine_, analytic_;
  std::vector<LinkRow> links_;
  std::set<std::string> notes_;
  bool verified_ = true;
};

}  // namespace

int run_sim(const SimFlags& flags, Context& context) {
  check_output(flags.output);
  return Simulation(flags, context).run();
}

}  // namespace railyard::apps
