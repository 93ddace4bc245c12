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

/// How data is divided into messages.
struct Pieces {                 ///< bytes per message
  std::uint64_t segment = 0;    ///< concurrent messages
  std::uint32_t in_flight = 0;  ///< messages at once
};

/// A schedule compiled for one rank of its group, with its memory and messages.
class RankSchedule {
 public:
  struct Options {
    Division division{};                 ///< the group's size and this rank's position
    std::vector<std::uint32_t> ranks{};  ///< MPI rank by position; empty: position i is rank i
    std::uint64_t seed = 1;              ///< of the values
    bool separate_inputs = false;
    Pieces pieces{};
  };
  /// All arguments must outlive it. `comm`: only for messages of schedules. Throws BackendError if
  /// memory is insufficient.
  RankSchedule(const Communicator& communicator, MPI_Comm comm,
               const collectives::Schedule& schedule, const Options& options);

  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] BlockMemory& memory() { return memory_; }
  [[nodiscard]] const Replay& replay() const { return replay_; }

  /// Runs the schedule once.
  void run();
  /// The same in parts (see Replay): advance() returns whether something has arrived. Call finish()
  /// when replay().is_done().
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
