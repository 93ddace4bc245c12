#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/packet/parameters.hpp"

namespace railyard::sim::packet {

/// Which queue of a port sends next where several may start a packet at the same time. Queue i is
/// that of class i of data; the last one is that of control packets, where they have one.
///
/// Control comes before data; with weights data comes after `control_weight` control packets at the
/// latest. Then strict classes in their order, then weighted ones by start-time fair queuing
/// (Goyal, Vin and Cheng, SIGCOMM 1996): a packet of b bytes of a class of weight w has
///
///     S = max(F, V)        F = S + b / w
///
/// with the F of the packet before it in its class. The least S is next (the first class of equal
/// ones), and V is the S of the packet that started last.
///
/// Example: two classes of weights 3 and 1 with packets of equal size send 0, 1, 0, 0, and so on.
class PortScheduler {
 public:
  PortScheduler() = default;
  PortScheduler(const SwitchParameters& parameters, std::size_t ports);

  /// The queue that is next among those of `ready`, bit i for queue i; at least one bit is set.
  [[nodiscard]] std::uint32_t next(std::uint32_t port, std::uint32_t ready) const;
  /// A packet of a queue has started, where those of `ready` could have.
  void started(std::uint32_t port, std::uint32_t queue, std::uint32_t ready, std::uint32_t bytes);

 private:
  [[nodiscard]] std::uint32_t next_data(std::uint32_t port, std::uint32_t ready) const;
  [[nodiscard]] std::uint64_t begin(std::uint32_t port, std::uint32_t queue) const;

  std::uint32_t queues_ = 1;
  std::uint32_t control_ = 0;         ///< bit of the control queue; 0: none
  std::uint32_t strict_ = 1;          ///< bits of strict classes
  std::uint32_t control_weight_ = 0;  ///< 0: control is strict
  std::vector<std::uint64_t> weights_;
  std::vector<std::uint32_t> control_turns_;  ///< by port: control packets since the last data
  std::vector<std::uint64_t> ends_;           ///< F by port and queue, bytes / weight * 2^16
  std::vector<std::uint64_t> now_;            ///< V by port
};

}  // namespace railyard::sim::packet
