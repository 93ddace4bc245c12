#pragma once

#include <memory>

#include "collectives/schedule/executor.hpp"
#include "hw/live_backend.hpp"
#include "hw/live_measure.hpp"

namespace railyard::hw {

/// Runs schedules on a live backend (local, mpi, nccl) through the interface of the simulators
/// (collectives::Executor). All processes of the backend's world make the same calls.
class LiveExecutor final : public collectives::Executor {
 public:
  /// The backend must outlive it. A task's finish is the median over the iterations of
  /// `repetition`.
  explicit LiveExecutor(LiveBackend& backend,
                        Repetition repetition = {.warmup = 1, .iterations = 1});

  [[nodiscard]] std::string_view name() const override { return backend_.name(); }
  /// Runs the tasks one after another, each alone; with several tasks Run::notes reports that.
  /// Every process gets the times of process 0. Throws InputError if the backend cannot run a
  /// schedule, or tasks have different start times; BackendError if it fails or a result is wrong.
  [[nodiscard]] collectives::Run run(std::span<const collectives::Task> tasks) override;

 private:
  [[nodiscard]] Time measured(const collectives::Task& task);
  LiveBackend& backend_;
  Repetition repetition_;
};

}  // namespace railyard::hw
