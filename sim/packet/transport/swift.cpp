#include "sim/packet/transport/swift.hpp"

#include <algorithm>
#include <cmath>

namespace railyard::sim::packet {

Swift::Swift(const SwiftParameters& parameters, const PathFacts& path)
    : least_(parameters.minimum_window),
      range_(static_cast<double>(parameters.scaling_range.picoseconds())),
      rtt_(path.base_rtt) {
  const double packets = path.line_rate * static_cast<double>(path.base_rtt) / 8e12 / path.mtu;
  base_ = static_cast<double>(path.base_rtt + parameters.queueing.picoseconds());
  const double from = 1 / std::sqrt(parameters.scaling_from);
  const double to = 1 / std::sqrt(parameters.scaling_to);
  a_ = range_ / (from - to);
  b_ = a_ * to;
  // With this window an unshared link is busy all the time even if the delay is the largest target.
  most_ = std::max(1.0, packets * (base_ + range_) / static_cast<double>(path.base_rtt));
  window_ = std::max(1.0, packets);
}

void Swift::change_path(const SwiftParameters& parameters, const PathFacts& path) {
  const Swift next(parameters, path);
  base_ = next.base_;
  most_ = next.most_;
  limit();
}

double Swift::target() const {
  return base_ + std::clamp(a_ / std::sqrt(window_) - b_, 0.0, range_);
}

void Swift::limit() { window_ = std::clamp(window_, least_, most_); }

void Swift::acknowledged(const SwiftParameters& parameters, const Feedback& feedback) {
  const auto delay = static_cast<double>(feedback.rtt);
  const bool may_decrease = decreased_at_ < 0 || feedback.now - decreased_at_ >= rtt_;
  rtt_ = feedback.rtt;
  const double goal = target();
  if (delay < goal) {
    const double step = parameters.additive * feedback.packets;
    window_ += window_ >= 1 ? step / window_ : step;
  } else if (may_decrease) {
    window_ *= std::max(1 - parameters.beta * (delay - goal) / delay, 1 - parameters.max_decrease);
    decreased_at_ = feedback.now;
  }
  limit();
}

void Swift::lost(const SwiftParameters& parameters, std::int64_t now) {
  if (decreased_at_ >= 0 && now - decreased_at_ < rtt_) return;
  window_ *= 1 - parameters.max_decrease;
  decreased_at_ = now;
  limit();
}

}  // namespace railyard::sim::packet
