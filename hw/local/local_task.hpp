#pragma once

#include <cstdint>
#include <functional>

#include "collectives/schedule/schedule.hpp"
#include "hw/local/averaging.hpp"
#include "hw/local/block_memory.hpp"
#include "hw/local/program.hpp"
#include "hw/local/reduction.hpp"
#include "hw/local/worker_pool.hpp"

namespace railyard::hw {

/// A schedule compiled for this process, with its memory and its threads.
class LocalTask {
 public:
  struct Options {
    int threads = 1;
    std::uint64_t seed = 1;
    bool separate_inputs = false;
  };
  /// Throws BackendError if memory is insufficient.
  LocalTask(const collectives::Schedule& schedule, Options options);

  [[nodiscard]] const collectives::Schedule& schedule() const { return schedule_; }
  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] BlockMemory& memory() { return memory_; }

  /// Prepares the threads; run() then runs the task once. `around` is called with every operation
  /// and must call execute() for it; empty: execute() alone.
  void prepare() { pool_.prepare(program_.graph); }
  void run(const std::function<void(OperationId)>& around = {});
  void execute(OperationId id);

 private:
  void average_pieces();
  const collectives::Schedule& schedule_;
  Program program_;
  BlockMemory memory_;
  WorkerPool pool_;
  Reduction reduce_;
  std::size_t element_;
  std::vector<Move> averaged_;  ///< pieces of results that are divided after everything else
  TaskGraph averaging_;         ///< averaging operations, which are independent
};

/// Number of threads for `ranks` ranks: the requested number, or one per core; at most one per
/// rank.
[[nodiscard]] int threads_for(int asked, std::uint32_t ranks);

}  // namespace railyard::hw
