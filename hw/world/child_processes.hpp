#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace railyard::hw {

/// How a process ended: by a signal, or with an exit code.
struct ProcessEnd {
  std::optional<int> signal{};
  int exit_code = 0;
};

/// Tasks for child processes, and callbacks for their results. A task is a number.
struct ChildTasks {
  std::vector<std::size_t> tasks{};  ///< started in this order
  /// Runs a task in a child process. An exception ends that process.
  std::function<std::string(std::size_t task)> run{};
  /// Called in this process with a result; lost() too. An exception ends the child processes and is
  /// rethrown to the caller.
  std::function<void(std::size_t task, const std::string& result)> done{};
  /// Called if the process that ran the task has ended.
  std::function<void(std::size_t task, const ProcessEnd& end)> lost{};
};

/// Runs tasks in up to `count` child processes, one task after another in each. A task that ends
/// its process (a crash, or SIGKILL by the kernel without free memory) affects no other task,
/// because a new process replaces it. Child processes end with this one, however it ends. They are
/// forks without exec, so this process must have no other thread. Throws BackendError if not even
/// one process can be started.
void run_in_processes(const ChildTasks& tasks, int count);

}  // namespace railyard::hw
