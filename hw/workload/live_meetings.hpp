#pragma once

#include <cstdint>
#include <vector>

#include "collectives/workload/workload_result.hpp"
#include "core/units.hpp"
#include "hw/local/check_result.hpp"

namespace railyard::hw {

/// A collective or message that ended on a rank of this process, in World::now(): when its last
/// rank had arrived, and when this rank was done.
struct LiveEnd {
  collectives::OperationId operation{};  ///< `which` is the rank
  Time start{}, end{};
};

/// Moves the bytes of a workload's collectives and messages (LiveLoads) for the ranks of this
/// process: the part of a backend that runs workloads. A meeting moves bytes when all of its ranks
/// have begun it, as NCCL's kernels wait for their peers. Several may run concurrently.
class LiveMeetings {
 public:
  virtual ~LiveMeetings() = default;
  /// Prepares a run of the workload. Requires that none is running. `checks`: compare every result
  /// with the expected one.
  virtual void start(bool checks) = 0;
  /// Reports that a rank of this process has begun its operation of a meeting.
  virtual void arrive(std::uint32_t meeting, collectives::OperationId operation) = 0;
  /// Returns the operations that have ended on ranks of this process since the last call. Waits for
  /// at least one, but not longer than `until`. Throws BackendError.
  [[nodiscard]] virtual std::vector<LiveEnd> wait(Time until) = 0;
  /// The result of the checks of the last run on this process.
  [[nodiscard]] virtual CheckResult check() const = 0;
};

}  // namespace railyard::hw
