#include "hw/world/child_processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "core/diagnostic.hpp"
#include "hw/world/tcp_link.hpp"

namespace railyard::hw {
namespace {

/// The child's side: receives task numbers and sends results until the parent closes the socket. An
/// exception of a task ends the process.
[[noreturn]] void serve(int socket, pid_t parent, const ChildTasks& tasks) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  // Files, locks and the sockets of other children belong only to the parent.
  constexpr int kSocket = STDERR_FILENO + 1;
  dup2(socket, kSocket);
  closefrom(kSocket + 1);
  const TcpLink link(kSocket);
  for (std::string text; link.receive(text, {}).empty();) {
    std::size_t task = 0;
    std::from_chars(text.data(), text.data() + text.size(), task);
    if (!link.send(tasks.run(task), {}).empty()) break;
  }
  // No destructors, because temporary folders belong to the parent.
  _exit(0);
}

ProcessEnd end_of(int status) {
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.exit_code = WEXITSTATUS(status)};
}

class Workers {
 public:
  Workers(const ChildTasks& tasks, int most)
      : tasks_(tasks), most_(static_cast<std::size_t>(most)) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    for (Worker& worker : workers_) {
      if (worker.task) kill(worker.process, SIGKILL);
      worker.link = TcpLink();  // an idle one ends now
    }
    for (const Worker& worker : workers_) (void)wait_for(worker);
  }

  /// Gives the task to an idle worker, or to a new one. False if all are busy.
  bool give(std::size_t task) {
    for (;;) {
      auto idle = std::ranges::find_if(workers_, [](const Worker& w) { return !w.task; });
      if (idle == workers_.end()) {
        if (workers_.size() == most_ || !start()) return false;
        idle = workers_.end() - 1;
      }
      if (idle->link.send(std::to_string(task), {}).empty()) {
        idle->task = task;
        return true;
      }
      remove(idle);  // it was ended between two tasks
    }
  }

  [[nodiscard]] bool are_busy() const {
    return std::ranges::any_of(workers_, [](const Worker& w) { return w.task.has_value(); });
  }

  /// Waits until at least one task is done, or its process has ended.
  void wait() {
    std::vector<pollfd> sockets;
    for (const Worker& worker : workers_)
      sockets.push_back(
          {.fd = worker.task ? worker.link.socket() : -1, .events = POLLIN, .revents = 0});
    if (poll(sockets.data(), sockets.size(), -1) < 0) {
      if (errno == EINTR) return;
      throw BackendError(fmt::format("poll: {}", std::strerror(errno)));
    }
    for (std::size_t i = workers_.size(); i-- > 0;)
      if (sockets[i].revents != 0) finish(workers_.begin() + static_cast<std::ptrdiff_t>(i));
  }

 private:
  struct Worker {
    pid_t process = 0;
    TcpLink link{};
    std::optional<std::size_t> task{};  ///< task that it runs
  };
  using Place = std::vector<Worker>::iterator;

  /// Starts a worker. False if the system cannot start more processes and others are still running.
  bool start() {
    std::array<int, 2> ends{};
    const pid_t parent = getpid();
    const bool has_socket = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0;
    const pid_t process = has_socket ? fork() : -1;
    if (process == 0) serve(ends[1], parent, tasks_);
    if (process < 0) {
      const int error = errno;
      if (has_socket) {
        close(ends[0]);
        close(ends[1]);
      }
      if (!workers_.empty()) return false;
      throw BackendError(fmt::format("no child process can be started: {}", std::strerror(error)));
    }
    close(ends[1]);
    workers_.push_back({.process = process, .link = TcpLink(ends[0])});
    return true;
  }

  void finish(Place worker) {
    const std::size_t task = *worker->task;
    if (std::string text; worker->link.receive(text, {}).empty()) {
      worker->task.reset();
      tasks_.done(task, text);
      return;
    }
    tasks_.lost(task, end_of(remove(worker)));
  }

  /// Removes a worker whose process has ended, and returns its status.
  int remove(Place worker) {
    const int status = wait_for(*worker);
    workers_.erase(worker);
    return status;
  }

  static int wait_for(const Worker& worker) {
    int status = 0;
    while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  const ChildTasks& tasks_;
  std::size_t most_;
  std::vector<Worker> workers_;
};

}  // namespace

void run_in_processes(const ChildTasks& tasks, int count) {
  Workers workers(tasks, count);
  std::size_t next = 0;
  while (next < tasks.tasks.size() || workers.are_busy()) {
    while (next < tasks.tasks.size() && workers.give(tasks.tasks[next])) ++next;
    workers.wait();
  }
}

}  // namespace railyard::hw
