#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "hw/local/block_memory.hpp"
#include "hw/local/program.hpp"
#include "hw/mpi/communicator.hpp"
#include "hw/mpi/replay.hpp"

namespace railyard::hw::mpi {

/// How messages go out.
struct Pieces {
  std::uint64_t segment = 0;    ///< bytes
  std::uint32_t in_flight = 0;  ///< messages at once
};

/// A schedule compiled for one rank of its group, with its memory and messages.
class RankSchedule {
 public:
  struct Options {
    Division division{};                 ///< the group's size and this rank's position
    std::vector<std::uint32_t> ranks{};  ///< of MPI, by position; empty: position i is rank i
    std::uint64_t seed = 1;              ///< of the values
    bool separate_inputs = false;
    Pieces pieces{};
  };
  /// All must outlive it. `comm` is for messages of schedules alone. Throws BackendError: memory.
  RankSchedule(const Communicator& communicator, MPI_Comm comm,
               const collectives::Schedule& schedule, const Options& options);

  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] BlockMemory& memory() { return memory_; }
  [[nodiscard]] const Replay& replay() const { return replay_; }

  /// Once, from begin to end.
  void run();
  /// The same in pieces (Replay): advance() is true if something has arrived. finish() when
  /// replay().is_done().
  void begin(std::uint64_t first_tag = 0);
  [[nodiscard]] bool advance() { return replay_.advance(); }
  /// Divides averages.
  void finish();

 private:
  Program program_;
  BlockMemory memory_;
  Replay replay_;
};

}  // namespace railyard::hw::mpi
