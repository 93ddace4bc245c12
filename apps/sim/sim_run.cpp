#include "apps/sim/sim_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "apps/cli/interruptible.hpp"
#include "apps/cli/setting.hpp"
#include "apps/output/job_rows.hpp"
#include "apps/output/result_output.hpp"
#include "apps/output/traffic_rows.hpp"
#include "apps/sim/job_list.hpp"
#include "apps/sim/sim_session.hpp"
#include "apps/sim/simulation.hpp"
#include "apps/sim/size_runs.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using collectives::Measurement;
using collectives::Run;
using collectives::Schedule;
using collectives::Task;

/// The first given flag whose file describes a single run; "" if none is given.
std::string flag_of_a_single_run(const SimFlags& flags) {
  if (!flags.output.trace.empty()) return "--trace";
  if (!flags.packet.flows.empty()) return "--flows";
  if (!flags.packet.queues.empty()) return "--queues";
  return flags.packet.pauses.empty() ? "" : "--pauses";
}

/// Runs tasks together, and writes the files of --flows, --queues and --pauses.
Run run_together(SimSession& session, collectives::Executor& engine,
                 const std::vector<Task>& tasks) {
  session.show_run();
  Run run = engine.run(tasks);
  session.hide_run();
  std::vector<std::string> names;
  for (const Task& task : tasks) names.push_back(task.name);
  session.result().write_records(names);
  return run;
}

int run_traffic(SimSession& session) {
  const SimFlags& flags = session.flags();
  Simulation& simulation = session.simulation();
  if (flags.fidelity != "packet")
    throw InputError("", "--traffic", "applies to packet simulation", "--fidelity packet");
  const collectives::MessageTasks messages =
      session.messages(flags.traffic, "--traffic", simulation.seed());
  const auto engine = simulation.engine_of_seed(simulation.seed(), messages);
  const Run run = run_together(session, *engine, messages.tasks);
  const TrafficRow row{.traffic = fmt::format("{}", fmt::join(flags.traffic, " + ")),
                       .fidelity = std::string(simulation.engine().name()),
                       .bytes = messages.bytes,
                       .times = collectives::completion_times(run),
                       .seed = simulation.seed()};
  session.result().add(session.result().report(run, 0, row.times.total));
  return session.write("traffic", tabulate_traffic({row}));
}

int run_jobs(SimSession& session, const std::vector<Job>& jobs) {
  Simulation& simulation = session.simulation();
  std::vector<Schedule> schedules;
  std::vector<Task> tasks;
  for (const Job& job : jobs)
    schedules.push_back(
        session.schedule(job.group, job.flags, size_of_flag(job.flags.bytes, "--job")));
  for (std::size_t i = 0; i < jobs.size(); ++i)
    tasks.push_back({.schedule = &schedules[i], .start = jobs[i].start, .name = jobs[i].name});
  const Run run = run_together(session, simulation.engine(), tasks);
  std::vector<JobRow> rows;
  Time end;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& result = run.tasks[i];
    rows.push_back({jobs[i].name, result.start, result.finish,
                    measure(schedules[i], result, simulation.engine().name(), simulation.seed())});
    end = std::max(end, result.finish);
  }
  session.result().add(session.result().report(run, 0, end));
  return session.write("jobs", tabulate_jobs(rows));
}

int run(SimSession& session) {
  const SimFlags& flags = session.flags();
  Simulation& simulation = session.simulation();
  if (!flags.traffic.empty()) return run_traffic(session);
  if (!flags.jobs.empty())
    return run_jobs(session, parse_jobs(simulation.cluster(), flags.jobs, flags.collective));
  const std::vector<Bytes> sizes = sizes_of(flags.collective);
  const std::string single = flag_of_a_single_run(flags);
  if (!single.empty() && flags.seeds > 1)
    throw InputError("", single, "supports only a single seed", "choose one with --seed");
  if ((!flags.groups.empty() || !single.empty()) && sizes.size() > 1)
    throw InputError("", flags.groups.empty() ? single : "--groups", "supports only a single size",
                     "give one size: --bytes 64M");
  if (flags.groups.empty()) return run_sizes(session, sizes);
  CollectiveFlags one = flags.collective;
  one.bytes = fmt::format("{}", sizes.front().count());
  return run_jobs(session, split_jobs(simulation.cluster(), *simulation.group(simulation.seed()),
                                      flags.groups, one));
}

}  // namespace

int run_sim(const SimFlags& flags, Context& context) {
  check_output(flags.output);
  check_output_file("--flows", flags.packet.flows);
  check_output_file("--queues", flags.packet.queues);
  check_output_file("--pauses", flags.packet.pauses);
  const Interruptible interruptible(flags.fidelity == "packet");
  SimSession session(flags, context);
  return run(session);
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
