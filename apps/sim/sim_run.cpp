#include "apps/sim/sim_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>

#include "apps/cli/announcer.hpp"
#include "apps/cli/interruptible.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/remaining_time.hpp"
#include "apps/cli/setting.hpp"
#include "apps/cli/thread_flag.hpp"
#include "apps/output/collective_rows.hpp"
#include "apps/output/job_rows.hpp"
#include "apps/output/link_rows.hpp"
#include "apps/output/packet_record_rows.hpp"
#include "apps/output/packet_rows.hpp"
#include "apps/output/range_pct.hpp"
#include "apps/output/result_output.hpp"
#include "apps/output/routing_columns.hpp"
#include "apps/output/seed_rows.hpp"
#include "apps/output/table_stream.hpp"
#include "apps/output/traffic_rows.hpp"
#include "apps/sim/job_list.hpp"
#include "apps/sim/simulation.hpp"
#include "collectives/traffic/message_tasks.hpp"
#include "collectives/verifier/verify.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "core/parallel.hpp"
#include "sim/run_watch.hpp"
#include "sim/unused_tiers.hpp"
#include "topology/cluster/read_timings.hpp"
#include "topology/cluster/topology_names.hpp"

namespace railyard::apps {
namespace {

using collectives::Measurement;
using collectives::MessageTasks;
using collectives::Run;
using collectives::Schedule;
using collectives::Task;

/// Prints what is wrong with a schedule; false where something is.
bool is_proven(const Schedule& schedule, const Context& context) {
  // The proof's cost grows with the transfers times what they carry
  // (collectives/verifier/verify.hpp).
  constexpr std::uint32_t kMostRanks = 1024;
  if (schedule.group().size() > kMostRanks) {
    throw InputError(
        "", "--verify", fmt::format("does not support more than {} ranks", kMostRanks),
        "verify with fewer ranks (--gpus): schedules have the same structure at any size");
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
        provenance_{
            .command = command_without_threads(context), .facts = {}, .configs = {}, .seed = 0},
        remaining_(context),
        simulation_(
            flags, provenance_,
            [this](const sim::RunProgress& progress) {
              if (draws_run_) remaining_.show(progress);
              return !was_interrupted();
            },
            announcer(context)) {
    provenance_.seed = simulation_.seed();
    add_facts(flags.cluster, simulation_.cluster(), provenance_);
    add_routing_facts(simulation_.routing(), provenance_);
  }

  int run() {
    if (!flags_.traffic.empty()) return run_traffic();
    if (!flags_.jobs.empty()) {
      return run_jobs(parse_jobs(simulation_.cluster(), flags_.jobs, flags_.collective));
    }
    const std::vector<Bytes> sizes = sizes_of(flags_.collective);
    const bool wants_one = !flags_.groups.empty() || !flag_of_a_single_run().empty();
    const std::string single = flag_of_a_single_run();
    if (!single.empty() && flags_.seeds > 1)
      throw InputError("", single, "supports only a single seed", "choose one with --seed");
    if (wants_one && sizes.size() > 1) {
      throw InputError("", flags_.groups.empty() ? single : "--groups",
                       "supports only a single size", "give one size: --bytes 64M");
    }
    if (flags_.groups.empty()) return run_sizes(sizes);
    CollectiveFlags one = flags_.collective;
    one.bytes = fmt::format("{}", sizes.front().count());
    return run_jobs(split_jobs(simulation_.cluster(), *simulation_.group(simulation_.seed()),
                               flags_.groups, one));
  }

 private:
  /// The first flag whose file holds one run; "": none is given.
  [[nodiscard]] std::string flag_of_a_single_run() const {
    if (!flags_.output.trace.empty()) return "--trace";
    if (!flags_.packet.flows.empty()) return "--flows";
    if (!flags_.packet.queues.empty()) return "--queues";
    return flags_.packet.pauses.empty() ? "" : "--pauses";
  }

  /// The files of --flows, --queues and --pauses.
  void write_records(std::span<const std::string> tasks) {
    const sim::packet::PacketRecords* records = simulation_.packet_records();
    if (records == nullptr) return;
    const auto write = [&](const std::string& file, const RowTable& table) {
      std::ostringstream text;
      write_csv(table, text);
      write_text(text.str(), file, context_);
    };
    const topology::Cluster& cluster = simulation_.cluster();
    if (!flags_.packet.flows.empty())
      write(flags_.packet.flows, tabulate_transfers(records->transfers, tasks));
    if (!flags_.packet.queues.empty())
      write(flags_.packet.queues, tabulate_queues(cluster, records->queues));
    if (!flags_.packet.pauses.empty())
      write(flags_.packet.pauses, tabulate_pauses(cluster, records->pauses));
  }

  /// Link loads and notes of a run.
  struct Kept {
    std::vector<LinkRow> links;
    std::vector<CableRow> cables;
    std::vector<PacketRow> packets;
    std::vector<std::string> notes;
    std::vector<std::string> unused_tiers;
    Time end;  ///< of the last task
  };

  /// Every size with every seed. Runs of a size are neighbours, in the order of seeds.
  struct SizeRuns {
    std::vector<Bytes> sizes;
    std::size_t seeds = 1;
    std::size_t orders = 1;                                       ///< of ranks: one, or one a seed
    std::vector<Schedule> schedules;                              ///< by order, then size
    std::vector<MessageTasks> background;                         ///< by seed
    std::vector<std::unique_ptr<collectives::Executor>> engines;  ///< by seed
    std::uint64_t bytes = 0;                                      ///< memory of the largest run
    std::vector<Measurement> rows;
    std::vector<Kept> kept;

    [[nodiscard]] const Schedule& schedule(std::size_t size, std::size_t seed) const {
      return schedules[(orders > 1 ? seed * sizes.size() : 0) + size];
    }
  };

  SizeRuns prepare_sizes(const std::vector<Bytes>& sizes) {
    SizeRuns runs{.sizes = sizes,
                  .seeds = static_cast<std::size_t>(flags_.seeds),
                  .orders = 1,
                  .schedules = {},
                  .background = {},
                  .engines = {},
                  .bytes = 0,
                  .rows = {},
                  .kept = {}};
    if (flags_.rank_order == "random") runs.orders = runs.seeds;
    // One after the other: the chooser keeps what it computed.
    for (std::size_t order = 0; order < runs.orders; ++order) {
      const auto group = simulation_.group(simulation_.seed() + order);
      for (const Bytes size : sizes) {
        runs.schedules.push_back(prepare(group, flags_.collective, size));
        runs.bytes = std::max(runs.bytes, simulation_.memory(runs.schedules.back()));
      }
    }
    for (std::size_t seed = 0; seed < runs.seeds; ++seed)
      runs.background.push_back(messages_beside(simulation_.seed() + seed));
    const std::size_t count = sizes.size() * runs.seeds;
    const int concurrent = runs_at_once(flags_.threads, count, runs.bytes);
    for (std::size_t seed = 0; seed < runs.seeds; ++seed)
      runs.engines.push_back(
          simulation_.engine_of_seed(simulation_.seed() + seed, runs.background[seed], concurrent));
    runs.rows.resize(count);
    runs.kept.resize(runs.rows.size());
    return runs;
  }

  void simulate_size(SizeRuns& runs, std::size_t number) {
    const std::size_t size = number / runs.seeds, seed = number % runs.seeds;
    const Schedule& schedule = runs.schedule(size, seed);
    std::vector<Task> tasks{{.schedule = &schedule, .start = Time(), .name = {}}};
    const std::vector<Task>& background = runs.background[seed].tasks;
    tasks.insert(tasks.end(), background.begin(), background.end());
    const Run run = runs.engines[seed]->run(tasks);
    runs.rows[number] =
        measure(schedule, run.tasks.front(), runs.engines[seed]->name(), simulation_.seed() + seed);
    runs.kept[number] = what_to_keep(run, size, runs.rows[number].time);
  }

  /// Returns how many runs from the first on are finished: all, unless ctrl-C ends them.
  std::size_t simulate_sizes(SizeRuns& runs) {
    const std::size_t count = runs.rows.size();
    const Interruptible guard;
    draws_run_ = count == 1;
    Progress progress(context_, count);
    std::mutex drawing;
    std::vector<bool> is_done(count, false);
    std::size_t printed = 0;  ///< runs, in order
    const auto run_one = [&](std::size_t number, std::size_t) {
      {
        const std::lock_guard lock(drawing);
        if (was_interrupted()) throw sim::Stopped();
        progress.next(size_text(runs.sizes[number / runs.seeds].count()));
      }
      simulate_size(runs, number);
      const std::lock_guard lock(drawing);
      is_done[number] = true;
      for (; runs.seeds == 1 && streams() && printed < count && is_done[printed]; ++printed) {
        progress.clear();
        stream_.add(
            with_routing(tabulate(collective_columns(), std::span(&runs.rows[printed], 1))));
      }
    };
    try {
      core::parallel_for(count, runs_at_once(flags_.threads, count, runs.bytes), run_one);
    } catch (const sim::Stopped&) {
      is_stopped_ = true;
    }
    return static_cast<std::size_t>(std::ranges::find(is_done, false) - is_done.begin());
  }

  int write_sizes(const SizeRuns& runs) {
    if (runs.seeds == 1) {
      for (const Kept& one : runs.kept) keep(one);
      return write("sim", tabulate(collective_columns(), runs.rows));
    }
    std::vector<collectives::SeedSpread> spreads;
    for (std::size_t first = 0; first < runs.rows.size(); first += runs.seeds) {
      spreads.push_back(collectives::spread_of(
          std::span<const Measurement>(runs.rows).subspan(first, runs.seeds)));
      keep(runs.kept[first + spreads.back().number]);
    }
    return write("sim", tabulate_seeds(spreads));
  }

  int run_sizes(const std::vector<Bytes>& sizes) {
    SizeRuns runs = prepare_sizes(sizes);
    std::size_t finished = simulate_sizes(runs);
    if (is_stopped_) {
      finished -= finished % runs.seeds;
      print_note(context_, fmt::format("stopped: {} of {} sizes are finished",
                                       finished / runs.seeds, sizes.size()));
      runs.rows.resize(finished);
      runs.kept.resize(finished);
    }
    remaining_.erase();
    std::vector<std::string> tasks{""};
    for (const Task& task : runs.background.front().tasks) tasks.push_back(task.name);
    write_records(tasks);
    return write_sizes(runs);
  }

  [[nodiscard]] MessageTasks messages_of(const std::vector<std::string>& traffic, const char* flag,
                                         std::uint64_t seed) {
    const auto group = simulation_.group(simulation_.seed());
    crosses_fabric_ = crosses_fabric_ || group->nodes().size() > 1;
    MessageTasks messages = collectives::message_tasks(
        traffic,
        {.cluster = simulation_.cluster(), .ranks = group->size(), .seed = seed, .flag = flag});
    const bool has_classes = std::ranges::any_of(messages.classes, [](auto c) { return c > 0; });
    if (has_classes && flags_.fidelity != "packet")
      throw InputError("", flag, "traffic classes apply to packet simulation",
                       "--fidelity packet, or leave out class=N");
    const bool has_reads = std::ranges::find(messages.reads, true) != messages.reads.end();
    if (has_reads && flags_.fidelity != "packet")
      throw InputError("", flag, "RDMA reads apply to packet simulation",
                       "--fidelity packet, or leave out verb=read");
    return messages;
  }
  [[nodiscard]] MessageTasks messages_beside(std::uint64_t seed) {
    return messages_of(flags_.background, "--background", seed);
  }

  int run_traffic() {
    if (flags_.fidelity != "packet")
      throw InputError("", "--traffic", "applies to packet simulation", "--fidelity packet");
    const MessageTasks messages = messages_of(flags_.traffic, "--traffic", simulation_.seed());
    draws_run_ = true;
    const auto engine = simulation_.engine_of_seed(simulation_.seed(), messages);
    const Run run = engine->run(messages.tasks);
    remaining_.erase();
    std::vector<std::string> names;
    for (const Task& task : messages.tasks) names.push_back(task.name);
    write_records(names);
    TrafficRow row =
        traffic_row(fmt::format("{}", fmt::join(flags_.traffic, " + ")), messages.bytes, run);
    row.fidelity = simulation_.engine().name();
    row.seed = simulation_.seed();
    keep(what_to_keep(run, 0, row.time));
    return write("traffic", tabulate_traffic({row}));
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
    draws_run_ = true;
    const Run run = simulation_.engine().run(tasks);
    remaining_.erase();
    std::vector<std::string> names;
    for (const Job& job : jobs) names.push_back(job.name);
    write_records(names);
    std::vector<JobRow> rows;
    Time end;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const auto& result = run.tasks[i];
      rows.push_back(
          {jobs[i].name, result.start, result.finish,
           measure(schedules[i], result, simulation_.engine().name(), simulation_.seed())});
      end = std::max(end, result.finish);
    }
    keep(what_to_keep(run, 0, end));
    return write("jobs", tabulate_jobs(rows));
  }

  Schedule prepare(const std::shared_ptr<const collectives::Group>& group,
                   const CollectiveFlags& flags, Bytes bytes) {
    Schedule schedule = simulation_.schedule(group, flags, bytes);
    crosses_fabric_ = crosses_fabric_ || group->nodes().size() > 1;
    if (flags_.verify) proven_ = is_proven(schedule, context_) && proven_;
    return schedule;
  }

  /// Called by several threads; a trace is of a single run.
  [[nodiscard]] Kept what_to_keep(const Run& run, std::size_t row, Time span) const {
    write_trace_file(run, flags_.output, context_);
    Kept kept{.links = {},
              .cables = {},
              .packets = {},
              .notes = run.notes,
              .unused_tiers = sim::notes_on_unused_tiers(simulation_.cluster(), run),
              .end = {}};
    for (const collectives::TaskResult& task : run.tasks)
      kept.end = std::max(kept.end, task.finish);
    if (flags_.links) {
      kept.links = link_rows(simulation_.cluster(), run, row, span);
      if (!flags_.output.json.empty())
        kept.cables = cable_rows(simulation_.cluster(), run, row, span);
    }
    if (run.packets) kept.packets.push_back(packet_row(simulation_.cluster(), *run.packets, row));
    return kept;
  }
  void keep(const Kept& kept) {
    end_ = std::max(end_, kept.end);
    links_.insert(links_.end(), kept.links.begin(), kept.links.end());
    cables_.insert(cables_.end(), kept.cables.begin(), kept.cables.end());
    packets_.insert(packets_.end(), kept.packets.begin(), kept.packets.end());
    const auto is_printed = [](const std::string& note) {
      return note.starts_with("interrupted") || note.starts_with("expanded");
    };
    for (const std::string& note : kept.notes)
      if (notes_.insert(note).second && is_printed(note)) print_note(context_, note);
    for (const std::string& note : kept.unused_tiers) {
      if (notes_.insert(note).second) print_note(context_, note);
    }
  }

  /// Whether rows are printed as they come: on a terminal, where nothing else is printed.
  [[nodiscard]] bool streams() const {
    return stream_.is_on_terminal() && !flags_.links && flags_.fidelity != "packet" &&
           flags_.output.json != "-" && flags_.output.csv != "-" && flags_.output.trace != "-";
  }

  [[nodiscard]] RowTable with_routing(RowTable rows) const {
    add_routing(rows);
    return rows;
  }

  void add_routing(RowTable& rows) const {
    apps::add_routing(simulation_.routing(), crosses_fabric_, rows);
  }

  /// Adds range_pct where it is requested, or a part of the machine is nominal.
  void add_range(RowTable& rows) {
    if (!simulation_.has_fitted_times()) {
      if (flags_.range)
        notes_.insert(
            "range_pct is empty, because ranges exist only for the fitted time model, which does "
            "not predict these times");
      return;
    }
    const collectives::nccl::MachineRange range(
        simulation_.cluster(), topology::read_timings(flags_.cluster.cluster), crosses_fabric_);
    for (const std::string& note : add_machine_range(range, flags_.range, rows, provenance_)) {
      print_note(context_, note);
      notes_.insert(note);
    }
  }

  int write(std::string_view kind, RowTable rows) {
    add_routing(rows);
    add_range(rows);
    for (const std::string& note : simulation_.notes()) {
      print_note(context_, note);
      notes_.insert(note);
    }
    provenance_.notes.assign(notes_.begin(), notes_.end());
    const sim::packet::PacketRecords none;
    const sim::packet::PacketRecords* records = simulation_.packet_records();
    if (records == nullptr) records = &none;
    write_result(
        {.kind = kind,
         .provenance = provenance_,
         .rows = std::move(rows),
         .sections = {{"packets", tabulate_packets(packets_)},
                      {"links", tabulate_links(links_)},
                      {"cables", tabulate_cables(cables_), false},
                      {"ports", tabulate_ports(simulation_.cluster(), records->ports, end_), false},
                      {"victims", tabulate_victims(simulation_.cluster(), records->victims),
                       false}}},
        flags_.output, context_, stream_.is_empty() ? Table::yes : Table::no);
    if (is_stopped_) return ExitCode::interrupted;
    return proven_ ? ExitCode::done : ExitCode::finding;
  }

  const SimFlags& flags_;
  Context& context_;
  Provenance provenance_;
  RemainingTime remaining_;
  bool draws_run_ = false;  ///< progress within the run
  Simulation simulation_;
  std::vector<LinkRow> links_;
  std::vector<CableRow> cables_;
  std::vector<PacketRow> packets_;
  Time end_;  ///< of the last task of all runs
  std::set<std::string> notes_;
  TableStream stream_{context_.out};
  bool proven_ = true;
  bool is_stopped_ = false;  ///< by ctrl-C
  bool crosses_fabric_ = false;
};

}  // namespace

int run_sim(const SimFlags& flags, Context& context) {
  check_output(flags.output);
  check_output_file("--flows", flags.packet.flows);
  check_output_file("--queues", flags.packet.queues);
  check_output_file("--pauses", flags.packet.pauses);
  const Interruptible interruptible(flags.fidelity == "packet");
  return SimOutput(flags, context).run();
}

std::vector<Measurement> simulate(const SimFlags& flags, const std::vector<Bytes>& sizes,
                                  Provenance& provenance) {
  Simulation simulation(flags, provenance);
  std::vector<Measurement> rows;
  for (const Bytes size : sizes) {
    const Schedule schedule =
        simulation.schedule(simulation.group(simulation.seed()), flags.collective, size);
    const Task task{.schedule = &schedule, .start = Time(), .name = {}};
    const Run run = simulation.engine().run({&task, 1});
    rows.push_back(
        measure(schedule, run.tasks.front(), simulation.engine().name(), simulation.seed()));
  }
  return rows;
}

}  // namespace railyard::apps
