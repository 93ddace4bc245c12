#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "collectives/traffic/traffic.hpp"

namespace railyard::collectives {

/// Messages as tasks with a single transfer each. The tasks point into `schedules`: the object can
/// be moved but must not be copied.
struct MessageTasks {
  std::vector<Schedule> schedules;
  std::vector<Task> tasks;             ///< one per message: "message 0", "message 1", ...
  std::vector<std::uint32_t> classes;  ///< traffic class of each message
  std::vector<bool> reads;             ///< by message: whether its destination reads it
  Bytes bytes;                         ///< total of all messages
};

/// The messages of several traffic descriptions (see read_traffic). Description i uses the seed of
/// `request` plus i. Throws InputError like read_traffic().
[[nodiscard]] MessageTasks message_tasks(std::span<const std::string> traffic,
                                         TrafficRequest request);

}  // namespace railyard::collectives
