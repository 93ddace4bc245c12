#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/units.hpp"
#include "hw/world/world.hpp"

namespace railyard::hw {

/// Notices within a timeout that a process of a live run is dead or stopped, and says which: a
/// thread of each process keeps a TCP connection to process 0 and sends a sign of life over it,
/// apart from the library that is measured, which would only wait. Process 0 calls `fail` with
/// "host h2, rank 3 (process 4711) is gone" or "... has given no sign of life for 30 s"; the others
/// where process 0 is gone. Where process 0 cannot be reached, that process is not watched.
class RollCall {
 public:
  using Fail = std::function<void(const std::string& error)>;
  /// Collective; the world must outlive it. Process 0 listens on 127.0.0.1 where all processes
  /// share its network, otherwise where RAILYARD_BIND says, or on all addresses; who does not know
  /// a number that only this run's processes are told is dropped (hw/world/reception.hpp). A
  /// timeout of zero waits for ever: only death is noticed.
  RollCall(World& world, Time timeout, Fail fail);
  /// Says goodbye; the processes may end in any order.
  ~RollCall();
  RollCall(const RollCall&) = delete;
  RollCall& operator=(const RollCall&) = delete;

 private:
  class Root;
  class Follower;
  std::unique_ptr<Root> root_;
  std::unique_ptr<Follower> follower_;
};

}  // namespace railyard::hw
