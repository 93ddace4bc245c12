#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/sweep/outcome.hpp"

namespace railyard::apps {

/// Points that processes run, and what is done with their results.
struct PointTasks {
  std::vector<std::size_t> points{};  ///< started in this order
  /// In a child process.
  std::function<core::sweep::Outcome(std::size_t point)> run{};
  /// In this process. What it throws ends the child processes and goes to the caller.
  std::function<void(std::size_t point, const core::sweep::Outcome& outcome)> done{};
};

/// Runs points in up to `count` child processes, one point after another in each. A point that ends
/// its process (a crash, or SIGKILL by the kernel without free memory) fails with the signal and
/// exit code 70, and another process takes the place. Child processes end with this one, however it
/// ends. They are forks without exec: this process must have no other thread. Throws BackendError
/// where not even one process can be started.
void run_in_processes(const PointTasks& tasks, int count);

}  // namespace railyard::apps
