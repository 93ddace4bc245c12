#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "hw/world/world.hpp"

namespace railyard::hw::mpi {

/// The process that makes calls, for error messages. Set once the world is known.
struct Caller {
  std::string host;
  int rank = 0;
  std::vector<ProcessPlace> places;
  [[nodiscard]] std::string text() const;          ///< "host h1, rank 3"
  [[nodiscard]] std::string text(int peer) const;  ///< "rank 2 (host h0)"
};

/// Throws BackendError("host h1, rank 3: CALL: message of MPI") unless code is MPI_SUCCESS.
void require(int code, const Caller& caller, const std::string& call);

/// The largest tag of a communicator's messages.
[[nodiscard]] int largest_tag(MPI_Comm comm, const Caller& caller);

/// Waits by polling, so that a peer that never answers is detected. It polls without pause for a
/// moment, and then lets other processes run. If a machine has fewer cores than ranks it sleeps
/// between polls, because polling would take time from working ranks.
class PollingWait {
 public:
  struct Options {
    Time timeout{};       ///< zero: no limit
    bool shares = false;  ///< more ranks than cores on this host
  };
  explicit PollingWait(Options options);
  /// Progress was made: restarts the timeout.
  void progressed();
  /// Call it when nothing happened. Returns false once that lasts longer than the timeout.
  [[nodiscard]] bool pause();
  [[nodiscard]] Time timeout() const { return options_.timeout; }

 private:
  Options options_;
  std::int64_t last_ns_;
  int idle_polls_ = 0;
};

/// Waits for one request. Throws BackendError naming `call` after the timeout.
void wait(MPI_Request& request, PollingWait::Options options, const Caller& caller,
          const std::string& call);

}  // namespace railyard::hw::mpi
