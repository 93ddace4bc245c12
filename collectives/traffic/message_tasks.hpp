#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collectives/schedule/executor.hpp"
#include "collectives/traffic/traffic.hpp"

namespace railyard::collectives {

/// Messages as tasks of one transfer each. Moves keep the tasks' pointers; copies do not.
struct MessageTasks {
  std::vector<Schedule> schedules;
  std::vector<Task> tasks;             ///< by message; "message 0", "message 1", ...
  std::vector<std::uint32_t> classes;  ///< traffic classes, by message
  std::vector<bool> reads;             ///< whether the destination reads it, by message
  Bytes bytes;                         ///< of all messages
};

/// The messages of several descriptions of traffic. The first is drawn from the seed of `request`,
/// each further one from the next. Throws InputError as read_traffic() does.
[[nodiscard]] MessageTasks message_tasks(std::span<const std::string> traffic,
                                         TrafficRequest request);

}  // namespace railyard::collectives
