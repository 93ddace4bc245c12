#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/executor.hpp"
#include "hw/local_memory.hpp"

namespace railyard::hw {

struct LocalOptions {
  int threads = 0;         ///< 0: as many as this machine has cores, at most one per rank
  bool timeline = false;   ///< fill Run::timeline
  std::uint64_t seed = 1;  ///< of the values that are moved
};

/// How often a schedule is run, as nccl-tests' -w, -n and -c.
struct Repetition {
  int warmup = 1;
  int iterations = 20;
  bool check = true;
};

/// Wall-clock times of the iterations, in the order run, and what the check afterwards found.
struct Repeated {
  std::vector<Time> times;
  CheckResult check;
};

/// Runs schedules for real within this process: threads move and reduce real bytes between the
/// buffers of all ranks (reducers are buffers too). What it measures is this machine's memory and
/// cores. Any schedule, any data type and operation; the oracle for the other executors.
class LocalExecutor final : public collectives::Executor {
 public:
  explicit LocalExecutor(LocalOptions options = {});
  ~LocalExecutor() override;

  [[nodiscard]] std::string_view name() const override { return "local"; }
  /// Runs the tasks at the same time, each from its start, once. Throws BackendError where a result
  /// is wrong (naming rank, offset, expected and got) or the memory is not there.
  [[nodiscard]] collectives::Run run(std::span<const collectives::Task> tasks) override;
  /// Runs one schedule again and again; the ranks' data is written anew before each iteration,
  /// outside the timed region. The check comes last and is not timed. Throws BackendError: memory.
  [[nodiscard]] Repeated repeat(const collectives::Schedule& schedule,
                                const Repetition& repetition);

 private:
  [[nodiscard]] int threads_for(std::uint32_t ranks) const;
  LocalOptions options_;
};

}  // namespace railyard::hw
