#include "collectives/traffic/message_tasks.hpp"

#include <fmt/format.h>

namespace railyard::collectives {

MessageTasks message_tasks(std::span<const std::string> traffic, TrafficRequest request) {
  MessageTasks messages;
  for (const std::string& text : traffic) {
    for (const Flow& flow : read_traffic(text, request)) {
      messages.schedules.push_back(schedule_of(request.cluster, flow));
      messages.tasks.push_back({.schedule = nullptr, .start = flow.start, .name = {}});
      messages.classes.push_back(flow.traffic_class);
      messages.reads.push_back(flow.is_read);
      messages.bytes = messages.bytes + flow.bytes;
    }
    ++request.seed;
  }
  for (std::size_t i = 0; i < messages.tasks.size(); ++i) {
    messages.tasks[i].schedule = &messages.schedules[i];
    messages.tasks[i].name = fmt::format("message {}", i);
  }
  return messages;
}

}  // namespace railyard::collectives
