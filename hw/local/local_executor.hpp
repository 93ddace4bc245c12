#pragma once

#include <cstdint>

#include "collectives/schedule/executor.hpp"

namespace railyard::hw {

struct LocalOptions {
  int threads = 0;         ///< 0: one per core of this machine, at most one per rank
  bool timeline = false;   ///< fill Run::timeline
  std::uint64_t seed = 1;  ///< of the values that are moved
};

/// Runs schedules within this process: threads copy and reduce real bytes between the buffers of
/// all ranks (reducers are buffers too). It measures the memory and cores of this machine. It
/// supports any schedule, data type and operation, and is the reference for the other executors.
class LocalExecutor final : public collectives::Executor {
 public:
  explicit LocalExecutor(LocalOptions options = {});

  [[nodiscard]] std::string_view name() const override { return "local"; }
  /// Runs the tasks once, concurrently, each from its start time. Throws BackendError if a result
  /// is wrong (with rank, offset, expected and actual value), or memory is insufficient.
  [[nodiscard]] collectives::Run run(std::span<const collectives::Task> tasks) override;

 private:
  LocalOptions options_;
};

}  // namespace railyard::hw
