#include "apps/sim/sim_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "apps/cli/progress.hpp"
#include "apps/cli/setting.hpp"
#include "apps/cli/thread_flag.hpp"
#include "apps/output/collective_rows.hpp"
#include "apps/output/job_rows.hpp"
#include "apps/output/link_rows.hpp"
#include "apps/output/packet_rows.hpp"
#include "apps/output/result_output.hpp"
#include "apps/sim/job_list.hpp"
#include "apps/sim/simulation.hpp"
#include "collectives/verifier/verify.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "core/parallel.hpp"
#include "topology/cluster/topology_names.hpp"

namespace railyard::apps {
namespace {

using collectives::Measurement;
using collectives::Run;
using collectives::Schedule;
using collectives::Task;

/// Prints what is wrong with a schedule; false where something is.
bool is_proven(const Schedule& schedule, const Context& context) {
  // The proof's cost grows with the transfers times what they carry
  // (collectives/verifier/verify.hpp).
  constexpr std::uint32_t kMostRanks = 1024;
  if (schedule.group().size() > kMostRanks) {
    throw InputError("", "--verify",
                     fmt::format("cannot prove schedules of more than {} ranks", kMostRanks),
                     "use fewer ranks with --gpus: schedules have the same structure at any size");
  }
  const std::vector<std::string> problems = collectives::verify(schedule);
  for (const std::string& problem : problems) {
    print_error(context, fmt::format("schedule '{}': {}", schedule.algorithm(), problem));
  }
  return problems.empty();
}

/// A simulation and what it writes.
class SimOutput {
 public:
  SimOutput(const SimFlags& flags, Context& context)
      : flags_(flags),
        context_(context),
        provenance_{.command = command_without_threads(context),
                    .facts = {},
                    .configs = {},
                    .seed = flags.collective.seed},
        simulation_(flags, provenance_) {
    add_facts(flags.cluster, simulation_.cluster(), provenance_);
    const auto routing =
        routing_of(simulation_.cluster(), simulation_.fabric(), flags.collective.seed);
    provenance_.facts.emplace_back("routing", core::enum_name(routing.policy));
    provenance_.facts.emplace_back("qps", fmt::format("{}", routing.qps));
  }

  int run() {
    if (!flags_.jobs.empty()) {
      return run_jobs(parse_jobs(simulation_.cluster(), flags_.jobs, flags_.collective));
    }
    const std::vector<Bytes> sizes = sizes_of(flags_.collective);
    const bool wants_one = !flags_.groups.empty() || !flags_.output.trace.empty();
    if (wants_one && sizes.size() > 1) {
      throw InputError("", flags_.groups.empty() ? "--trace" : "--groups", "supports a single size",
                       "use --bytes");
    }
    if (flags_.groups.empty()) return run_sizes(sizes);
    CollectiveFlags one = flags_.collective;
    one.bytes = fmt::format("{}", sizes.front().count());
    return run_jobs(split_jobs(simulation_.cluster(), *simulation_.group(), flags_.groups, one));
  }

 private:
  int run_sizes(const std::vector<Bytes>& sizes) {
    const auto group = simulation_.group();
    std::vector<Schedule> schedules;  // sequential: the chooser keeps what it computed
    std::uint64_t bytes = 0;
    for (const Bytes size : sizes) {
      schedules.push_back(prepare(group, flags_.collective, size));
      bytes = std::max(bytes, simulation_.memory(schedules.back()));
    }
    std::vector<Measurement> rows(sizes.size());
    std::vector<Kept> kept(sizes.size());
    {
      Progress progress(context_, sizes.size());
      std::mutex drawing;
      const int threads = runs_at_once(flags_.threads, sizes.size(), bytes);
      core::parallel_for(sizes.size(), threads, [&](std::size_t i, std::size_t) {
        {
          const std::lock_guard lock(drawing);
          progress.next(size_text(sizes[i].count()));
        }
        const Task task{.schedule = &schedules[i], .start = Time(), .name = {}};
        const Run run = simulation_.engine().run({&task, 1});
        rows[i] = measure(schedules[i], run.tasks.front(), simulation_.engine().name(),
                          flags_.collective.seed);
        kept[i] = what_to_keep(run, i, rows[i].time);
      });
    }
    for (const Kept& one : kept) keep(one);
    return write("sim", tabulate(collective_columns(), std::span<const Measurement>(rows)));
  }

  int run_jobs(const std::vector<Job>& jobs) {
    std::vector<Schedule> schedules;
    std::vector<Task> tasks;
    for (const Job& job : jobs) {
      schedules.push_back(prepare(job.group, job.flags, size_of_flag(job.flags.bytes, "--job")));
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      tasks.push_back({.schedule = &schedules[i], .start = jobs[i].start, .name = jobs[i].name});
    }
    const Run run = simulation_.engine().run(tasks);
    std::vector<JobRow> rows;
    Time end;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const auto& result = run.tasks[i];
      rows.push_back(
          {jobs[i].name, result.start, result.finish,
           measure(schedules[i], result, simulation_.engine().name(), flags_.collective.seed)});
      end = std::max(end, result.finish);
    }
    keep(what_to_keep(run, 0, end));
    return write("jobs", tabulate_jobs(rows));
  }

  Schedule prepare(const std::shared_ptr<const collectives::Group>& group,
                   const CollectiveFlags& flags, Bytes bytes) {
    Schedule schedule = simulation_.schedule(group, flags, bytes);
    if (flags_.verify) proven_ = is_proven(schedule, context_) && proven_;
    return schedule;
  }

  /// Link loads and notes of a run. Called by several threads; a trace is of a single run.
  struct Kept {
    std::vector<LinkRow> links;
    std::vector<PacketRow> packets;
    std::vector<std::string> notes;
  };
  [[nodiscard]] Kept what_to_keep(const Run& run, std::size_t row, Time span) const {
    write_trace_file(run, flags_.output, context_);
    Kept kept{.links = {}, .packets = {}, .notes = run.notes};
    if (flags_.links) kept.links = link_rows(simulation_.cluster(), run, row, span);
    if (run.packets) kept.packets.push_back(packet_row(simulation_.cluster(), *run.packets, row));
    return kept;
  }
  void keep(const Kept& kept) {
    links_.insert(links_.end(), kept.links.begin(), kept.links.end());
    packets_.insert(packets_.end(), kept.packets.begin(), kept.packets.end());
    notes_.insert(kept.notes.begin(), kept.notes.end());
  }

  int write(std::string_view kind, RowTable rows) {
    for (const std::string& note : simulation_.notes()) {
      print_note(context_, note);
      notes_.insert(note);
    }
    provenance_.notes.assign(notes_.begin(), notes_.end());
    write_result(
        {.kind = kind,
         .provenance = provenance_,
         .rows = std::move(rows),
         .sections = {{"packets", tabulate_packets(packets_)}, {"links", tabulate_links(links_)}}},
        flags_.output, context_);
    return proven_ ? ExitCode::done : ExitCode::finding;
  }

  const SimFlags& flags_;
  Context& context_;
  Provenance provenance_;
  Simulation simulation_;
  std::vector<LinkRow> links_;
  std::vector<PacketRow> packets_;
  std::set<std::string> notes_;
  bool proven_ = true;
};

}  // namespace

int run_sim(const SimFlags& flags, Context& context) {
  check_output(flags.output);
  return SimOutput(flags, context).run();
}

std::vector<Measurement> simulate(const SimFlags& flags, const std::vector<Bytes>& sizes,
                                  Provenance& provenance) {
  Simulation simulation(flags, provenance);
  std::vector<Measurement> rows;
  for (const Bytes size : sizes) {
    const Schedule schedule = simulation.schedule(simulation.group(), flags.collective, size);
    const Task task{.schedule = &schedule, .start = Time(), .name = {}};
    const Run run = simulation.engine().run({&task, 1});
    rows.push_back(
        measure(schedule, run.tasks.front(), simulation.engine().name(), flags.collective.seed));
  }
  return rows;
}

}  // namespace railyard::apps
