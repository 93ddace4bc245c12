#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "collectives/workload/meetings.hpp"
#include "hw/live_backend.hpp"
#include "hw/workload/live_loads.hpp"
#include "hw/workload/live_meetings.hpp"

namespace railyard::hw {

/// A workload on live ranks: every process runs the programs of its ranks, and their collectives
/// and messages move real bytes (LiveMeetings).
///
/// An operation begins when the previous one on its stream has ended and its dependencies allow.
/// Computation, copies and host gaps are busy time: they occupy their stream for their duration but
/// no core, like a kernel on a GPU. They end at their due time even if the process notices it
/// later, so that delays do not add up. rate_share and compute_share, which describe kernels on
/// GPUs, have no effect.
///
/// Example: a program computes 3 ms, then 2 ms, on a process that polls every 50 us. The second
/// computation is due 5 ms after the start, although the end of the first was noticed up to 50 us
/// late.
class LiveWorkload final : public LiveRun {
 public:
  /// Both arguments must outlive it. The workload must have as many ranks as the backend. `seed`:
  /// for the values that are moved. All processes make the same calls. Requires
  /// backend.why_no_workloads().empty().
  LiveWorkload(const LiveLoads& loads, LiveBackend& backend, std::uint64_t seed);
  ~LiveWorkload() override;

  /// From now on runs compare every result with the expected one, which takes time.
  void reset() override { checks_ = true; }
  /// From now on runs do not compare results.
  void restore() override { checks_ = false; }
  /// One span per rank of this process.
  [[nodiscard]] std::vector<Span> run(int times) override;
  [[nodiscard]] CheckResult check() override { return meetings_->check(); }

  /// When the operations of the last run without checks began, started and ended, relative to the
  /// begin of its first rank. Every rank is a class of its own. Only at process 0; empty on others.
  [[nodiscard]] std::optional<collectives::WorkloadRun> last_run();

 private:
  /// A rank of this process.
  struct RankState {
    std::uint32_t rank = 0;
    const collectives::ProgramOrder* order = nullptr;
    std::vector<std::uint32_t> waits;  ///< by operation: how many it still waits for
    std::vector<collectives::OperationRun> runs;
    std::vector<collectives::OperationRun> last;  ///< of the last run without checks
    Time end{};                                   ///< of its last operation so far
  };
  /// An operation with a set duration.
  struct Busy {
    Time due;
    std::uint64_t sequence = 0;
    collectives::OperationId operation{};
  };
  struct Later {
    bool operator()(const Busy& a, const Busy& b) const {
      return a.due != b.due ? a.due > b.due : a.sequence > b.sequence;
    }
  };

  void run_once();
  void begin_waiting();
  void begin(collectives::OperationId its);
  void end(collectives::OperationId its, Time at);
  void release(collectives::OperationId from,
               std::span<const collectives::ProgramOrder::Next> nexts, Time at);
  [[nodiscard]] RankState& state(collectives::OperationId its) {
    return states_[state_of_[its.which]];
  }
  [[nodiscard]] collectives::OperationRun& run_of(collectives::OperationId its) {
    return state(its).runs[its.operation];
  }

  const LiveLoads& loads_;
  LiveBackend& backend_;
  const World& world_;
  std::unique_ptr<LiveMeetings> meetings_;
  std::vector<collectives::ProgramOrder> orders_;  ///< by program
  std::vector<RankState> states_;
  std::vector<std::uint32_t> state_of_;  ///< by rank; only ranks of this process
  bool checks_ = false;

  // State of the current run.
  std::priority_queue<Busy, std::vector<Busy>, Later> busy_;
  std::vector<collectives::OperationId> ready_;  ///< may begin
  std::uint64_t sequence_ = 0, left_ = 0;
};

}  // namespace railyard::hw
