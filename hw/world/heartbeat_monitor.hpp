#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/units.hpp"
#include "hw/world/world.hpp"

namespace railyard::hw {

/// Detects within a timeout that a process of a live run is dead or stopped, and names it. A thread
/// of each process keeps a TCP connection to process 0 and sends heartbeats over it, apart from the
/// measured library, which would only wait. Process 0 calls `fail` with "host h2, rank 3 (process
/// 4711) is gone" or "... has given no sign of life for 30 s"; the others call it if process 0 is
/// gone. A process that cannot reach process 0 is not watched.
class HeartbeatMonitor {
 public:
  using Fail = std::function<void(const std::string& error)>;
  /// Collective; the world must outlive it. Process 0 listens on 127.0.0.1 if all processes share
  /// its network, otherwise on the address of RAILYARD_BIND, or on all addresses. Clients without
  /// the secret number of this run are dropped (hw/world/connection_acceptor.hpp). A timeout of
  /// zero: only the death of a process is detected.
  HeartbeatMonitor(World& world, Time timeout, Fail fail);
  /// Says goodbye; the processes may end in any order.
  ~HeartbeatMonitor();
  HeartbeatMonitor(const HeartbeatMonitor&) = delete;
  HeartbeatMonitor& operator=(const HeartbeatMonitor&) = delete;

 private:
  class Root;
  class Follower;
  std::unique_ptr<Root> root_;
  std::unique_ptr<Follower> follower_;
};

}  // namespace railyard::hw
