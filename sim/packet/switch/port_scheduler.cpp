#include "sim/packet/switch/port_scheduler.hpp"

#include <algorithm>
#include <bit>

namespace railyard::sim::packet {

PortScheduler::PortScheduler(const SwitchParameters& parameters, std::size_t ports)
    : queues_(static_cast<std::uint32_t>(queue_count(parameters))) {
  const std::size_t classes = class_count(parameters);
  if (queues_ > classes) control_ = 1U << classes;
  if (parameters.control == ControlQueue::weighted) {
    control_weight_ = static_cast<std::uint32_t>(parameters.control_weight);
    control_turns_.resize(ports, 0);
  }
  if (parameters.classes.empty()) return;
  strict_ = 0;
  for (std::size_t i = 0; i < classes; ++i) {
    const TrafficClass& one = parameters.classes[i];
    weights_.push_back(static_cast<std::uint64_t>(one.weight));
    if (one.scheduling == Scheduling::strict) strict_ |= 1U << i;
  }
  if (std::popcount(strict_) + 1 >= static_cast<int>(classes)) return;
  ends_.resize(ports * queues_, 0);
  now_.resize(ports, 0);
}

std::uint32_t PortScheduler::next(std::uint32_t port, std::uint32_t ready) const {
  const std::uint32_t data = ready & ~control_;
  const bool is_turn_of_data =
      data != 0 && control_weight_ > 0 && control_turns_[port] >= control_weight_;
  if ((ready & control_) != 0 && !is_turn_of_data)
    return static_cast<std::uint32_t>(std::countr_zero(control_));
  return next_data(port, data);
}

std::uint32_t PortScheduler::next_data(std::uint32_t port, std::uint32_t ready) const {
  const std::uint32_t strict = ready & strict_;
  auto best = static_cast<std::uint32_t>(std::countr_zero(strict != 0 ? strict : ready));
  if (strict != 0 || ends_.empty()) return best;
  for (std::uint32_t queue = best + 1; queue < queues_; ++queue)
    if ((ready >> queue & 1U) != 0 && begin(port, queue) < begin(port, best)) best = queue;
  return best;
}

std::uint64_t PortScheduler::begin(std::uint32_t port, std::uint32_t queue) const {
  return std::max(ends_[std::size_t{port} * queues_ + queue], now_[port]);
}

void PortScheduler::started(std::uint32_t port, std::uint32_t queue, std::uint32_t ready,
                            std::uint32_t bytes) {
  const std::uint32_t bit = 1U << queue;
  if (control_weight_ > 0 && (ready & control_) != 0 && (ready & ~control_) != 0)
    control_turns_[port] = bit == control_ ? control_turns_[port] + 1 : 0;
  if (ends_.empty() || bit == control_ || (bit & strict_) != 0) return;
  now_[port] = begin(port, queue);
  ends_[std::size_t{port} * queues_ + queue] =
      now_[port] + (std::uint64_t{bytes} << 16) / weights_[queue];
}

}  // namespace railyard::sim::packet
