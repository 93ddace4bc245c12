#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "hw/local/local_task.hpp"
#include "hw/workload/live_loads.hpp"
#include "hw/workload/live_meetings.hpp"
#include "hw/world/world.hpp"

namespace railyard::hw {

/// The collectives and messages of a workload between ranks of this process. Each runs on threads
/// of its own (LocalTask) when its last rank has begun it, and ends on all ranks at the same time.
class LocalMeetings final : public LiveMeetings {
 public:
  struct Options {
    int threads = 0;  ///< of each collective; 0: one per core, at most one per rank
    std::uint64_t seed = 1;
    Time timeout{};  ///< of a collective; zero: none
  };
  /// All arguments must outlive it. Throws BackendError if memory is insufficient.
  LocalMeetings(const LiveLoads& loads, const World& world, const Options& options);
  ~LocalMeetings() override;

  void start(bool checks) override;
  void arrive(std::uint32_t meeting, collectives::OperationId operation) override;
  [[nodiscard]] std::vector<LiveEnd> wait(Time until) override;
  [[nodiscard]] CheckResult check() const override { return check_; }

 private:
  /// A meeting that ended.
  struct Ended {
    std::uint32_t meeting = 0;
    Time start{}, end{};
    CheckResult check{};
    std::exception_ptr failure{};
  };
  [[nodiscard]] std::unique_ptr<LocalTask> new_task(std::uint32_t load) const;
  void run(std::uint32_t meeting, LocalTask& task);
  void move(LocalTask& task, Ended& ended) const;
  void finish(Ended& ended, std::vector<LiveEnd>& all);

  const LiveLoads& loads_;
  const World& world_;
  Options options_;
  bool checks_ = false;
  CheckResult check_;
  std::vector<std::uint32_t> missing_;  ///< by meeting: ranks that have not begun it
  /// By load: tasks that no meeting uses. A load may run on several streams at the same time.
  std::vector<std::vector<std::unique_ptr<LocalTask>>> idle_;
  std::mutex mutex_;
  std::condition_variable has_ended_;
  std::vector<Ended> ended_;  ///< under the mutex

  struct Running {
    std::unique_ptr<LocalTask> task;
    std::future<void> thread;
  };
  std::map<std::uint32_t, Running> running_;  ///< by meeting; threads use all of the above
};

}  // namespace railyard::hw
