#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "hw/mpi/communicator.hpp"
#include "hw/mpi/rank_schedule.hpp"
#include "hw/workload/live_loads.hpp"
#include "hw/workload/live_meetings.hpp"
#include "hw/world/world.hpp"

namespace railyard::hw::mpi {

/// The collectives and messages of a workload between MPI ranks. Ranks that have begun a meeting
/// notify each other by a message without bytes, and move its bytes when all have begun it, so a
/// send waits for its receiver as with NCCL. Each meeting has its own tags, so several run
/// concurrently between the same ranks.
class MpiMeetings final : public LiveMeetings {
 public:
  struct Options {
    MPI_Comm messages = MPI_COMM_NULL;  ///< for data
    MPI_Comm signals = MPI_COMM_NULL;   ///< for ranks that have begun a meeting
    Pieces pieces{};
    std::uint64_t seed = 1;
  };
  /// All arguments must outlive it; every process makes the same calls. Throws BackendError if
  /// memory is insufficient.
  MpiMeetings(const Communicator& communicator, World& world, const LiveLoads& loads,
              const Options& options);
  ~MpiMeetings() override;

  void start(bool checks) override;
  void arrive(std::uint32_t meeting, collectives::OperationId operation) override;
  [[nodiscard]] std::vector<LiveEnd> wait(Time until) override;
  [[nodiscard]] CheckResult check() const override { return check_; }

 private:
  /// A meeting that this rank has begun.
  struct Begun {
    std::uint32_t meeting = 0;
    collectives::OperationId operation{};
    std::vector<MPI_Request> signals;  ///< to and from the other ranks
    std::unique_ptr<RankSchedule>
        schedule{};  ///< set when all ranks are there; null if nothing moves
    bool is_started = false;
    Time start{};
  };
  [[nodiscard]] std::unique_ptr<RankSchedule> new_schedule(std::uint32_t load) const;
  [[nodiscard]] bool advance(Begun& its);
  [[nodiscard]] bool all_are_there(Begun& its);
  void begin_moving(Begun& its);
  [[nodiscard]] std::vector<LiveEnd> take_ended();
  void finish(Begun& its);
  [[noreturn]] void give_up(Time timeout) const;

  const Communicator& communicator_;
  const World& world_;
  const LiveLoads& loads_;
  Options options_;
  int most_tag_ = 0;
  std::uint64_t tags_ = 1;  ///< tags per meeting, equal on all processes
  bool checks_ = false;
  CheckResult check_;
  /// By load of this rank: schedules that no meeting uses. A load may run on several streams at the
  /// same time.
  std::vector<std::vector<std::unique_ptr<RankSchedule>>> idle_;
  std::vector<Begun> begun_;  ///< in the order in which they began
};

}  // namespace railyard::hw::mpi
