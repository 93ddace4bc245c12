#pragma once

#include <cstdint>

#include "collectives/schedule/executor.hpp"

namespace railyard::hw {

struct LocalOptions {
  int threads = 0;         ///< 0: as many as this machine has cores, at most one per rank
  bool timeline = false;   ///< fill Run::timeline
  std::uint64_t seed = 1;  ///< of the values that are moved
};

/// Runs schedules for real within this process: threads move and reduce real bytes between the
/// buffers of all ranks (reducers are buffers too). What it measures is this machine's memory and
/// cores. Any schedule, any data type and operation; the oracle for the other executors.
class LocalExecutor final : public collectives::Executor {
 public:
  explicit LocalExecutor(LocalOptions options = {});

  [[nodiscard]] std::string_view name() const override { return "local"; }
  /// Runs the tasks at the same time, each from its start, once. Throws BackendError where a result
  /// is wrong (naming rank, offset, expected and got) or the memory is not there.
  [[nodiscard]] collectives::Run run(std::span<const collectives::Task> tasks) override;

 private:
  LocalOptions options_;
};

}  // namespace railyard::hw
