#pragma once

#include <cstdint>
#include <queue>
#include <vector>

namespace railyard::sim {

/// An event of the flow simulation.
struct FlowEvent {
  enum class Kind : std::uint8_t { fault, rerouting, channel_begins, stream_begins, stage_arrives };
  double time = 0;  ///< seconds
  std::uint64_t sequence = 0;
  Kind kind{};
  std::uint32_t channel = 0;  ///< number of the channel run; for faults and rerouting, of the fault
  std::uint32_t item = 0;     ///< item of the channel's stage
};

/// Events by (time, sequence).
class EventQueue {
 public:
  void push(FlowEvent event) {
    event.sequence = next_++;
    events_.push(event);
  }
  [[nodiscard]] bool empty() const { return events_.empty(); }
  [[nodiscard]] double next_time() const { return events_.top().time; }
  FlowEvent pop() {
    const FlowEvent event = events_.top();
    events_.pop();
    return event;
  }

 private:
  struct Later {
    bool operator()(const FlowEvent& a, const FlowEvent& b) const {
      return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
    }
  };
  std::priority_queue<FlowEvent, std::vector<FlowEvent>, Later> events_;
  std::uint64_t next_ = 0;
};

}  // namespace railyard::sim
