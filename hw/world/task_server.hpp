#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "hw/world/connection_acceptor.hpp"
#include "hw/world/world.hpp"

namespace railyard::hw {

/// The tasks of rank 0, and callbacks for their results. A task is a number; its digest is equal on
/// two ranks that would run the same work. Called by several threads.
struct TaskQueue {
  std::function<std::optional<std::size_t>()> next;  ///< nothing: no task is left
  std::function<std::string(std::size_t task)> digest;
  std::function<void(std::size_t task, const std::string& result)> done;
  /// Called if the rank that ran this task is lost, or refuses it. next() may give it to another
  /// rank.
  std::function<void(std::size_t task)> lost;
  std::function<void(const std::string& text)> note;
};

/// Rank 0's side of tasks that several ranks run. Ranks connect over TCP instead of MPI, so that
/// the others continue if one of them ends. Each connection has a thread, which sends one task
/// after another:
///   rank to 0   "TOKEN RANK", then a result per task ("!" and a reason if it refuses the task)
///   0 to rank   "TASK DIGEST" per task, then "end"
/// A result therefore must not begin with "!".
class TaskServer {
 public:
  /// Listens. `connections`: total number of connections that the ranks open. Throws BackendError
  /// if it cannot listen.
  TaskServer(const World& world, std::size_t connections, TaskQueue tasks);
  ~TaskServer();
  TaskServer(const TaskServer&) = delete;
  TaskServer& operator=(const TaskServer&) = delete;

  /// The information that ranks need to connect: "TOKEN PORT ADDRESS...".
  [[nodiscard]] std::string invitation() const;
  /// Accepts connections from now on.
  void start();
  /// Waits until all tasks are done and the ranks have received the end.
  void finish();

 private:
  void welcome();
  void serve(const TcpLink& link, const std::string& name);
  bool ask(const TcpLink& link, const std::string& name, std::size_t task);

  std::string token_;
  std::vector<std::string> addresses_, names_;
  std::size_t connections_;
  TaskQueue tasks_;
  ConnectionAcceptor reception_;
  std::atomic<bool> ends_{false};
  std::thread accept_thread_;
  std::vector<std::thread> connection_threads_;
};

/// How a rank other than 0 runs a task, and its own digest of it.
struct TaskRunner {
  std::function<std::string(std::size_t task)> run;
  std::function<std::string(std::size_t task)> digest;
};

/// A rank's side: connects to rank 0 and runs its tasks on `threads` threads, each with a
/// connection of its own, until no task is left. Throws BackendError if rank 0 cannot be reached or
/// ends.
void work_for_rank_zero(const std::string& invitation, std::uint32_t rank, int threads,
                        const TaskRunner& runner);

}  // namespace railyard::hw
