#include "sim/run_grid.hpp"

#include <algorithm>
#include <mutex>

#include "core/available_memory.hpp"
#include "core/parallel.hpp"
#include "sim/run_watch.hpp"

namespace railyard::sim {
namespace {

collectives::Run run_of(const RunGrid& grid, std::size_t run) {
  const RunGrid::Seed& seed = grid.seed_of(run);
  std::vector<collectives::Task> tasks{
      {.schedule = &grid.schedule_of(run), .start = Time(), .name = {}}};
  tasks.insert(tasks.end(), seed.background.tasks.begin(), seed.background.tasks.end());
  return seed.engine->run(tasks);
}

}  // namespace

const collectives::Schedule& RunGrid::schedule_of(std::size_t run) const {
  const bool by_seed = schedules.size() > sizes;
  return schedules[(by_seed ? run % seeds.size() * sizes : 0) + size_of(run)];
}

int concurrent_runs(int threads, std::size_t runs, std::uint64_t bytes_each) {
  const auto most = static_cast<std::uint64_t>(core::thread_count(threads));
  const std::uint64_t fit = core::available_memory() / 2 / std::max<std::uint64_t>(bytes_each, 1);
  return static_cast<int>(std::max<std::uint64_t>(1, std::min({most, std::uint64_t{runs}, fit})));
}

std::size_t run_grid(const RunGrid& grid, int concurrent, const GridWatch& watch) {
  std::mutex telling;
  std::vector<bool> is_done(grid.runs(), false);
  std::size_t told = 0;
  const auto run_one = [&](std::size_t run, std::size_t) {
    {
      const std::lock_guard lock(telling);
      if (watch.begins && !watch.begins(run)) throw Stopped();
    }
    const collectives::Run result = run_of(grid, run);
    if (watch.ended) watch.ended(run, result);
    const std::lock_guard lock(telling);
    is_done[run] = true;
    const std::size_t first = told;
    while (told < is_done.size() && is_done[told]) ++told;
    if (told > first && watch.done) watch.done(first, told);
  };
  try {
    core::parallel_for(grid.runs(), concurrent, run_one);
  } catch (const Stopped&) {
    // What is done remains.
  }
  return told;
}

}  // namespace railyard::sim
