#include "apps/sweep/point_processes.hpp"

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

#include "apps/cli/context.hpp"
#include "core/diagnostic.hpp"
#include "hw/world/tcp_link.hpp"

namespace railyard::apps {
namespace {

using core::sweep::Outcome;

/// The child's side: receives the number of a point, sends its outcome, until the parent closes the
/// socket. An exception of a point ends the process.
[[noreturn]] void serve(int socket, pid_t parent, const PointTasks& tasks) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  // The database, its lock and the sockets of the other children belong to the parent alone.
  constexpr int kSocket = STDERR_FILENO + 1;
  dup2(socket, kSocket);
  closefrom(kSocket + 1);
  const hw::TcpLink link(kSocket);
  for (std::string text; link.receive(text, {}).empty();) {
    std::size_t point = 0;
    std::from_chars(text.data(), text.data() + text.size(), point);
    if (!link.send(core::sweep::to_text(tasks.run(point)), {}).empty()) break;
  }
  // No destructors: temporary folders are the parent's.
  _exit(0);
}

std::string reason_of(int status) {
  if (!WIFSIGNALED(status))
    return fmt::format("the process of this point ended with exit code {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return fmt::format("the process of this point was ended by signal {} ({}){}", signal,
                     strsignal(signal),
                     signal == SIGKILL ? "; the kernel does this if memory runs out: fewer "
                                         "--threads need less"
                                       : "");
}

class Workers {
 public:
  Workers(const PointTasks& tasks, int most)
      : tasks_(tasks), most_(static_cast<std::size_t>(most)) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    for (Worker& worker : workers_) {
      if (worker.point) kill(worker.process, SIGKILL);
      worker.link = hw::TcpLink();  // an idle one ends now
    }
    for (const Worker& worker : workers_) (void)wait_for(worker);
  }

  /// Whether a worker took the point: one that is idle, else a new one. False: all are busy.
  bool give(std::size_t point) {
    for (;;) {
      auto idle = std::ranges::find_if(workers_, [](const Worker& w) { return !w.point; });
      if (idle == workers_.end()) {
        if (workers_.size() == most_ || !start()) return false;
        idle = workers_.end() - 1;
      }
      if (idle->link.send(std::to_string(point), {}).empty()) {
        idle->point = point;
        return true;
      }
      remove(idle);  // it was ended between two points
    }
  }

  [[nodiscard]] bool are_busy() const {
    return std::ranges::any_of(workers_, [](const Worker& w) { return w.point.has_value(); });
  }

  /// Waits until at least one point is done, or its process has ended.
  void wait() {
    std::vector<pollfd> sockets;
    for (const Worker& worker : workers_)
      sockets.push_back(
          {.fd = worker.point ? worker.link.socket() : -1, .events = POLLIN, .revents = 0});
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
    hw::TcpLink link{};
    std::optional<std::size_t> point{};  ///< that it runs
  };
  using Place = std::vector<Worker>::iterator;

  /// Starts a worker. False where the system has no more processes and others are left to wait for.
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
      throw BackendError(
          fmt::format("no process for a point can be started: {}", std::strerror(error)));
    }
    close(ends[1]);
    workers_.push_back({.process = process, .link = hw::TcpLink(ends[0])});
    return true;
  }

  void finish(Place worker) {
    const std::size_t point = *worker->point;
    if (std::string text; worker->link.receive(text, {}).empty()) {
      worker->point.reset();
      tasks_.done(point, core::sweep::outcome_of(text));
      return;
    }
    tasks_.done(point, {.exit_code = ExitCode::internal,
                        .error = reason_of(remove(worker)),
                        .notes = {},
                        .seconds = 0,
                        .tables = {}});
  }

  /// Removes a worker whose process has ended; its status.
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

  const PointTasks& tasks_;
  std::size_t most_;
  std::vector<Worker> workers_;
};

}  // namespace

void run_in_processes(const PointTasks& tasks, int count) {
  Workers workers(tasks, count);
  std::size_t next = 0;
  while (next < tasks.points.size() || workers.are_busy()) {
    while (next < tasks.points.size() && workers.give(tasks.points[next])) ++next;
    workers.wait();
  }
}

}  // namespace railyard::apps
