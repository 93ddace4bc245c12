#include "apps/sim/size_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/interruptible.hpp"
#include "apps/cli/progress.hpp"
#include "apps/output/collective_rows.hpp"
#include "apps/output/seed_rows.hpp"
#include "core/size_text.hpp"
#include "sim/run_grid.hpp"

namespace railyard::apps {
namespace {

using collectives::Measurement;

/// A grid of runs, and the number of concurrent runs that fit into the memory.
struct SizeRuns {
  sim::RunGrid grid{};
  int concurrent = 1;
};

SizeRuns prepare(SimSession& session, const std::vector<Bytes>& sizes) {
  const SimFlags& flags = session.flags();
  Simulation& simulation = session.simulation();
  SizeRuns runs;
  sim::RunGrid& grid = runs.grid;
  grid.sizes = sizes.size();
  grid.seeds.resize(static_cast<std::size_t>(flags.seeds));
  const std::size_t orders = flags.rank_order == "random" ? grid.seeds.size() : 1;
  std::uint64_t memory = 0;  // memory of the largest run
  // One after another, because the chooser caches its results.
  for (std::size_t order = 0; order < orders; ++order) {
    const auto group = simulation.group(simulation.seed() + order);
    for (const Bytes size : sizes) {
      grid.schedules.push_back(session.schedule(group, flags.collective, size));
      memory = std::max(memory, simulation.memory(grid.schedules.back()));
    }
  }
  runs.concurrent = sim::concurrent_runs(flags.threads, grid.runs(), memory);
  for (std::size_t i = 0; i < grid.seeds.size(); ++i) {
    sim::RunGrid::Seed& seed = grid.seeds[i];
    seed.value = simulation.seed() + i;
    seed.background = session.messages(flags.background, "--background", seed.value);
  }
  for (sim::RunGrid::Seed& seed : grid.seeds)
    seed.engine = simulation.engine_of_seed(seed.value, seed.background, runs.concurrent);
  return runs;
}

/// Rows and reports of the runs, and the number of completed runs from the first one on.
struct SizeResults {
  std::vector<Measurement> rows{};
  std::vector<RunReport> reports{};
  std::size_t done = 0;
};

SizeResults run(SimSession& session, const SizeRuns& runs, const std::vector<Bytes>& sizes) {
  const sim::RunGrid& grid = runs.grid;
  SizeResults results{.rows = std::vector<Measurement>(grid.runs()),
                      .reports = std::vector<RunReport>(grid.runs())};
  const Interruptible guard;
  if (grid.runs() == 1) session.show_run();
  Progress progress(session.context(), grid.runs());
  const auto begins = [&](std::size_t number) {
    if (was_interrupted()) return false;
    progress.next(core::size_text(sizes[grid.size_of(number)].count()));
    return true;
  };
  const auto ended = [&](std::size_t number, const collectives::Run& run) {
    const sim::RunGrid::Seed& seed = grid.seed_of(number);
    results.rows[number] =
        measure(grid.schedule_of(number), run.tasks.front(), seed.engine->name(), seed.value);
    results.reports[number] =
        session.result().report(run, grid.size_of(number), results.rows[number].time);
  };
  const auto done = [&](std::size_t first, std::size_t end) {
    if (grid.seeds.size() > 1 || !session.result().streams()) return;
    progress.clear();
    for (; first < end; ++first)
      session.result().stream(
          tabulate(collective_columns(), std::span(results.rows).subspan(first, 1)));
  };
  results.done =
      sim::run_grid(grid, runs.concurrent, {.begins = begins, .ended = ended, .done = done});
  return results;
}

/// The rows of the sizes. Adds the reports of their runs to the result.
RowTable size_rows(const SizeResults& results, std::size_t seeds, SimResult& result) {
  if (seeds == 1) {
    for (const RunReport& report : results.reports) result.add(report);
    return tabulate(collective_columns(), results.rows);
  }
  std::vector<collectives::SeedSpread> spreads;
  for (std::size_t first = 0; first < results.rows.size(); first += seeds) {
    spreads.push_back(collectives::spread_of(std::span(results.rows).subspan(first, seeds)));
    result.add(results.reports[first + spreads.back().number]);
  }
  return tabulate_seeds(spreads);
}

}  // namespace

int run_sizes(SimSession& session, const std::vector<Bytes>& sizes) {
  const SizeRuns runs = prepare(session, sizes);
  SizeResults results = run(session, runs, sizes);
  const std::size_t seeds = runs.grid.seeds.size();
  const bool is_stopped = results.done < runs.grid.runs();
  if (is_stopped) {
    const std::size_t finished = results.done / seeds;
    print_note(session.context(),
               fmt::format("stopped: {} of {} sizes are finished", finished, sizes.size()));
    results.rows.resize(finished * seeds);
    results.reports.resize(finished * seeds);
  }
  session.hide_run();
  std::vector<std::string> tasks{""};
  for (const collectives::Task& task : runs.grid.seeds.front().background.tasks)
    tasks.push_back(task.name);
  session.result().write_records(tasks);
  const int code = session.write("sim", size_rows(results, seeds, session.result()));
  return is_stopped ? ExitCode::interrupted : code;
}

}  // namespace railyard::apps
