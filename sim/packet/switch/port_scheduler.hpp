#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/packet/parameters.hpp"

namespace railyard::sim::packet {

/// Chooses the queue of a port that sends next if several could start a packet at the same time.
/// Queue i holds data of class i; the last queue holds control packets if they have a queue of
/// their own.
///
/// Control packets are sent before data. With a control weight, data are sent after
/// `control_weight` control packets at the latest. Among data, strict classes come first, in their
/// order, then weighted classes by start-time fair queuing (Goyal, Vin and Cheng, SIGCOMM 1996). A
/// packet of b bytes of a class of weight w has a start tag S and a finish tag F,
///
///     S = max(F of the previous packet of the class, V)        F = S + b / w
///
/// where V is the start tag of the packet that started last. The class with the smallest S is next,
/// the first one if several are equal.
///
/// Example: two classes of weights 3 and 1 with packets of equal size send 0, 1, 0, 0, and so on.
class PortScheduler {
 public:
  PortScheduler() = default;
  PortScheduler(const SwitchParameters& parameters, std::size_t ports);

  /// The queue that sends next among those in `ready` (bit i for queue i; at least one bit is set).
  [[nodiscard]] std::uint32_t next(std::uint32_t port, std::uint32_t ready) const;
  /// Notes that a packet of a queue has started while the queues in `ready` could have started one.
  void started(std::uint32_t port, std::uint32_t queue, std::uint32_t ready, std::uint32_t bytes);

 private:
  [[nodiscard]] std::uint32_t next_data(std::uint32_t port, std::uint32_t ready) const;
  [[nodiscard]] std::uint64_t begin(std::uint32_t port, std::uint32_t queue) const;

  std::uint32_t queues_ = 1;
  std::uint32_t control_ = 0;         ///< bit of the control queue; 0: no such queue
  std::uint32_t strict_ = 1;          ///< bit set of the strict classes
  std::uint32_t control_weight_ = 0;  ///< 0: control is always first
  std::vector<std::uint64_t> weights_;
  std::vector<std::uint32_t> control_turns_;  ///< by port: control packets since the last data
                                              ///< packet
  std::vector<std::uint64_t> ends_;           ///< F by port and queue, in bytes / weight * 2^16
  std::vector<std::uint64_t> now_;            ///< V by port, in the same unit
};

}  // namespace railyard::sim::packet
