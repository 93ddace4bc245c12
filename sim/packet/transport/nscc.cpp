#include "sim/packet/transport/nscc.hpp"

#include <algorithm>

namespace railyard::sim::packet {
namespace {

/// The reference network of table 3-82: bandwidth-delay product in bytes, round-trip time in ps.
constexpr double kReferenceProduct = 150'000, kReferenceRtt = 12e6;
/// Delay in ps below which a packet counts as not queued. The specification gives no number; this
/// one is that of uet-htsim.
constexpr double kNoDelay = 1e6;
/// The delay that is averaged for an unmarked packet above the target, in base round-trip times
/// (uet-htsim).
constexpr double kUnmarked = 0.25;

}  // namespace

Nscc::Nscc(const NsccParameters& p, const PathFacts& path)
    : packet_(path.wire),
      base_rtt_(static_cast<double>(path.base_rtt)),
      network_rtt_(p.network_rtt ? static_cast<double>(p.network_rtt->picoseconds()) : base_rtt_) {
  const double per_ps = path.line_rate / 8e12;
  const double product = per_ps * network_rtt_;
  const double a = product / kReferenceProduct;
  target_ = p.target * network_rtt_;
  alpha_ = p.proportional * path.mtu * a * (target_ / kReferenceRtt) / target_;
  fair_ = p.fair_increase * path.mtu * a;
  eta_ = p.eta * path.mtu * a;
  fast_ = p.fast_increase * a;
  window_ = p.largest_window * product;
  most_ = p.largest_window * per_ps * base_rtt_;
}

void Nscc::limit() { window_ = std::clamp(window_, packet_, std::max(packet_, most_)); }

bool Nscc::adapts_quickly(const NsccParameters& p, std::int64_t now, bool is_lost, bool is_marked,
                          double delay, double on_the_way) {
  bool is_done = false;
  if (ignored_ < to_ignore_ && is_marked) {
    is_done = true;
  } else if (now > adapt_at_) {
    const double gate = most_ / static_cast<double>(std::int64_t{1} << p.quick_adapt_gate);
    if (adapt_at_ != 0 && (is_lost || delay > p.quick_adapt_delay * target_) && arrived_ < gate) {
      window_ = std::max(arrived_, packet_);
      to_ignore_ = on_the_way;
      ignored_ = 0;
      is_done = true;
    }
    arrived_ = 0;
    adapt_at_ = now + static_cast<std::int64_t>(base_rtt_ + target_);
  }
  if (is_done) increase_ = since_adjust_ = 0;
  return is_done;
}

void Nscc::increase(double bytes, double delay) {
  if (delay >= target_) {
    increase_ += fair_ * bytes;
    return;
  }
  if (delay < kNoDelay) {
    unqueued_ += bytes;
    is_fast_ = is_fast_ || unqueued_ > window_;
  } else {
    unqueued_ = 0;
    is_fast_ = false;
  }
  if (is_fast_)
    window_ += bytes * fast_;
  else
    increase_ += alpha_ * bytes * (target_ - delay);
}

void Nscc::decrease(const NsccParameters& p, std::int64_t now) {
  is_fast_ = false;
  unqueued_ = 0;
  if (average_delay_ <= target_ || static_cast<double>(now - decreased_at_) <= base_rtt_) return;
  window_ *= std::max(1 - p.gamma * (average_delay_ - target_) / average_delay_, 0.5);
  decreased_at_ = now;
}

void Nscc::acknowledged(const NsccParameters& p, const Feedback& feedback) {
  const double bytes = feedback.packets * packet_;
  arrived_ += bytes;
  since_adjust_ += bytes;
  ignored_ += bytes;
  double delay = average_delay_;
  if (feedback.rtt > 0) {
    delay = std::max(0.0, static_cast<double>(feedback.rtt) - base_rtt_);
    const double sample = !feedback.is_marked && delay > target_ ? kUnmarked * base_rtt_ : delay;
    average_delay_ += p.delay_gain * (sample - average_delay_);
  }
  if (adapts_quickly(p, feedback.now, false, feedback.is_marked, delay,
                     feedback.on_the_way * packet_))
    return;
  if (!feedback.is_marked)
    increase(bytes, delay);
  else if (delay >= target_)
    decrease(p, feedback.now);
  limit();
  const double period = static_cast<double>(feedback.now - adjusted_at_);
  if (since_adjust_ <= p.adjust_packets * packet_ && period <= network_rtt_) return;
  window_ += increase_ / window_;
  if (period >= network_rtt_) {
    window_ += eta_;
    adjusted_at_ = feedback.now;
  }
  increase_ = since_adjust_ = 0;
  limit();
}

// The delay of a lost packet is averaged as one round trip of the network.
void Nscc::lost(const NsccParameters& p, std::int64_t now, double on_the_way) {
  ignored_ += packet_;
  average_delay_ += p.delay_gain * (network_rtt_ - average_delay_);
  if (adapts_quickly(p, now, true, true, 0, on_the_way)) return;
  window_ -= packet_;
  limit();
}

}  // namespace railyard::sim::packet
