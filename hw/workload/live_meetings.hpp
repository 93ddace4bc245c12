#pragma once

#include <cstdint>
#include <vector>

#include "collectives/workload/workload_result.hpp"
#include "core/units.hpp"
#include "hw/local/check_result.hpp"

namespace railyard::hw {

/// A collective or message that ended on a rank of this process, on World::now(): when all of its
/// ranks were there, and when this rank was done with it.
struct LiveEnd {
  collectives::OperationId operation{};  ///< `which` is the rank
  Time start{}, end{};
};

/// Moves the bytes of a workload's collectives and messages (LiveLoads) for the ranks of this
/// process: what a backend adds to run workloads. A meeting moves bytes once all of its ranks have
/// begun it, as NCCL's kernels wait for their peers; several may run concurrently.
class LiveMeetings {
 public:
  virtual ~LiveMeetings() = default;
  /// Before each run of the workload, when none is running. `checks`: every result is compared with
  /// what it must be.
  virtual void start(bool checks) = 0;
  /// A rank of this process has begun its operation of a meeting.
  virtual void arrive(std::uint32_t meeting, collectives::OperationId operation) = 0;
  /// What has ended on ranks of this process since the last call; waits until something has, at
  /// most until `until`. Throws BackendError.
  [[nodiscard]] virtual std::vector<LiveEnd> wait(Time until) = 0;
  /// What the checks of the last run found on this process.
  [[nodiscard]] virtual CheckResult check() const = 0;
};

}  // namespace railyard::hw
