#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "collectives/traffic/message_tasks.hpp"

namespace railyard::sim {

/// A collective at several sizes, each with several seeds. Runs are numbered by size, then by seed:
/// those of a size are neighbours.
struct RunGrid {
  /// What a seed determines.
  struct Seed {
    std::uint64_t value = 1;
    std::unique_ptr<collectives::Executor> engine{};  ///< its hashes are drawn from the seed
    collectives::MessageTasks background{};           ///< messages that run at the same time
  };
  std::vector<Seed> seeds{};
  std::size_t sizes = 0;
  /// By size; where the order of ranks is drawn by the seed: by seed, then size.
  std::vector<collectives::Schedule> schedules{};

  [[nodiscard]] std::size_t runs() const { return sizes * seeds.size(); }
  [[nodiscard]] std::size_t size_of(std::size_t run) const { return run / seeds.size(); }
  [[nodiscard]] const Seed& seed_of(std::size_t run) const { return seeds[run % seeds.size()]; }
  [[nodiscard]] const collectives::Schedule& schedule_of(std::size_t run) const;
};

/// Callbacks for the runs of a grid. Each may be empty.
struct GridWatch {
  /// Before each run, one call at a time; false ends the grid.
  std::function<bool(std::size_t run)> begins{};
  /// The result of each run, whose first task is the collective; by several threads at the same
  /// time.
  std::function<void(std::size_t run, const collectives::Run& result)> ended{};
  /// All runs below `end` are done, those from `first` on since the last call; one call at a time.
  std::function<void(std::size_t first, std::size_t end)> done{};
};

/// The largest number of runs at the same time: at most `threads` (0: one per core), and at most as
/// many as fit into half of the available memory with `bytes_each`.
[[nodiscard]] int concurrent_runs(int threads, std::size_t runs, std::uint64_t bytes_each);

/// Runs the grid, `concurrent` runs at the same time, in rising order. Returns how many from the
/// first on are done: all, unless the watch or an engine (Stopped) ended it.
[[nodiscard]] std::size_t run_grid(const RunGrid& grid, int concurrent, const GridWatch& watch);

}  // namespace railyard::sim
