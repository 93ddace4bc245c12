#include "sim/packet/transport/timely.hpp"

#include <algorithm>

namespace railyard::sim::packet {
namespace {

/// From this number of successive steps on the increase is five times as large (TIMELY, section
/// 4.3, N = 5).
constexpr int kHyperSteps = 5;

}  // namespace

Timely::Timely(const PathFacts& path)
    : rate_(path.line_rate),
      line_(path.line_rate),
      base_rtt_(static_cast<double>(path.base_rtt)),
      mtu_(path.mtu) {}

bool Timely::acknowledged(const TimelyParameters& parameters, const Feedback& feedback) {
  bytes_ += std::uint64_t{feedback.packets} * mtu_;
  const auto rtt = static_cast<double>(feedback.rtt);
  if (before_ == 0) before_ = rtt;
  if (bytes_ < static_cast<std::uint64_t>(parameters.segment.count())) return false;
  bytes_ = 0;
  difference_ += parameters.gain * (rtt - before_ - difference_);
  before_ = rtt;
  const double rate = renewed(parameters, rtt, difference_ / base_rtt_);
  const auto least = static_cast<double>(parameters.minimum_rate.bits_per_second());
  rate_ = std::clamp(rate, std::min(least, line_), line_);
  return true;
}

double Timely::renewed(const TimelyParameters& parameters, double rtt, double gradient) {
  const auto low = static_cast<double>(parameters.low.picoseconds());
  const auto high = static_cast<double>(parameters.high.picoseconds());
  const auto additive = static_cast<double>(parameters.additive_increase.bits_per_second());
  const bool is_steady = rtt >= low && rtt <= high;
  if (!is_steady || gradient > 0) steps_ = 0;
  if (rtt < low) return rate_ + additive;
  if (rtt > high) return rate_ * (1 - parameters.beta * (1 - high / rtt));
  if (parameters.patched) {
    const auto reference = static_cast<double>(parameters.reference.picoseconds());
    const double weight = std::clamp(2 * gradient + 0.5, 0.0, 1.0);
    return rate_ * (1 - parameters.beta * weight * (rtt - reference) / reference) +
           additive * (1 - weight);
  }
  if (gradient > 0) return rate_ * (1 - parameters.beta * std::min(gradient, 1.0));
  return rate_ + additive * (++steps_ >= kHyperSteps ? kHyperSteps : 1);
}

}  // namespace railyard::sim::packet
