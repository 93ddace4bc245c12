#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/workload/meetings.hpp"
#include "sim/workload/fold.hpp"
#include "sim/workload/load_traffic.hpp"
#include "sim/workload/lockstep.hpp"

namespace railyard::sim {

/// Options of a ReplayLoop.
struct ReplayOptions {
  /// Simulate operations in lockstep of a group as one event (Lockstep), until communication slows
  /// the computation of one of its ranks.
  bool folds = true;
  /// Communication slows concurrent computation by its compute_share.
  bool slows_computation = true;
};

/// The event loop of a workload over classes of ranks: begins, starts and ends of operations.
/// Events are ordered by time and sequence.
class ReplayLoop {
 public:
  /// All arguments must outlive it.
  ReplayLoop(const collectives::Communications& communications,
             const collectives::Meetings& meetings, const FoldedNetwork& network,
             std::span<const IsolatedTime> profiles, LoadTraffic& traffic,
             const ReplayOptions& options);

  /// By class and operation. Operations that never end (a deadlock) keep Time::never().
  [[nodiscard]] std::vector<std::vector<collectives::OperationRun>> run();

 private:
  enum class EventKind : std::uint8_t {
    operation_ends,
    meeting_starts,
    meeting_ends,
    lockstep_ends
  };
  struct Event {
    Time time;
    std::uint64_t sequence = 0;
    EventKind kind{};
    std::uint32_t which = 0;  ///< class, meeting, or running sequence
    std::uint32_t operation = 0;
    std::uint32_t version = 0;  ///< of a computation whose speed changes, or of a sequence
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
    }
  };
  /// A running computation.
  struct Computation {
    std::uint32_t operation = 0;
    double left = 0;  ///< picoseconds at full speed
    Time since{};
    std::uint32_t version = 0;
  };
  /// The state of a class of ranks: pending dependencies and running computations.
  struct ClassState {
    std::uint32_t number = 0;  ///< of the program
    const collectives::Program* program = nullptr;
    const collectives::ProgramOrder* order = nullptr;
    std::vector<std::uint32_t> waits;
    std::vector<Computation> computing;
    std::vector<float> shares;  ///< compute_share of its running communication
    double speed = 1;
    std::uint32_t lockstep = kNone;  ///< the running lockstep sequence
  };
  /// A running lockstep sequence of the classes of a meeting.
  struct LockstepRun {
    const Lockstep* sequence = nullptr;
    std::uint32_t meeting = 0;  ///< the initial collective
    std::uint32_t version = 0;
    Time begin{};
    std::vector<LockstepTime> times;
  };
  static constexpr std::uint32_t kNone = collectives::Meetings::kNone;

  void push(Event event);
  void fetch() const;
  void begin_ready();
  void begin(collectives::OperationId its);
  void end(collectives::OperationId its);
  void release(collectives::OperationId from,
               std::span<const collectives::ProgramOrder::Next> nexts);
  void start_meeting(std::uint32_t meeting, collectives::OperationId last);
  void start_traffic(std::uint32_t meeting);
  void finish(std::uint32_t meeting);
  [[nodiscard]] const Lockstep* lockstep_behind(std::uint32_t meeting);
  [[nodiscard]] bool starts_in_lockstep(std::uint32_t meeting, const Lockstep& sequence);
  void finish_lockstep(std::uint32_t number);
  void interrupt_lockstep(std::uint32_t number);
  void record_times(collectives::OperationId its, const LockstepRun& lockstep);
  void start_computing(collectives::OperationId its, Time duration);
  bool stop_computing(const Event& event);
  void set_share(std::uint32_t which, float share, bool added);
  void schedule_end(std::uint32_t which, Computation& its);
  [[nodiscard]] bool advance_traffic();
  [[nodiscard]] const collectives::Operation& operation(collectives::OperationId its) const {
    return classes_[its.which].program->operations[its.operation];
  }
  [[nodiscard]] collectives::OperationRun& run_of(collectives::OperationId its) {
    return runs_[its.which][its.operation];
  }

  const collectives::Meetings& meetings_;
  std::span<const IsolatedTime> profiles_;
  LoadTraffic& traffic_;
  bool slows_computation_;
  std::vector<collectives::ProgramOrder> orders_;  ///< by program
  std::vector<Locksteps> sequences_;               ///< by program; empty if nothing is folded
  std::vector<LockstepRun> locksteps_;
  std::vector<std::uint32_t> free_locksteps_;
  std::vector<ClassState> classes_;
  std::vector<std::vector<collectives::OperationRun>> runs_;
  std::vector<std::uint32_t> missing_;  ///< by meeting
  std::vector<collectives::OperationId> ready_;
  std::vector<Event> events_;  ///< a heap by Later
  std::uint64_t sequence_ = 0;
  std::uint32_t versions_ = 0;
  Time now_{};
};

}  // namespace railyard::sim
