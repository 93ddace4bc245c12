#include "sim/packet/transport/hpcc.hpp"

#include <algorithm>
#include <cmath>

namespace railyard::sim::packet {

HopRecord rounded(const HopRecord& record) {
  constexpr double kReference = 25e9;  // bit/s, of which port rates are multiples
  constexpr std::uint64_t kSent = 128, kQueued = 80;
  constexpr std::int64_t kNanosecond = 1000;
  const auto scale =
      static_cast<std::uint64_t>(std::max(1.0, std::round(record.rate / kReference)));
  HopRecord result = record;
  result.time -= record.time % kNanosecond;
  result.sent -= record.sent % (kSent * scale);
  result.queued -= static_cast<std::uint32_t>(record.queued % (kQueued * scale));
  return result;
}

Hpcc::Hpcc(const HpccParameters& parameters, const PathFacts& path)
    : base_rtt_(static_cast<double>(parameters.base_rtt ? parameters.base_rtt->picoseconds()
                                                        : path.base_rtt)),
      most_(path.line_rate * base_rtt_ / 8e12),
      additive_(most_ * (1 - parameters.eta) / parameters.flows),
      least_(std::min(most_, static_cast<double>(parameters.minimum_rate.bits_per_second()) *
                                 base_rtt_ / 8e12)),
      window_(most_),
      reference_(most_) {}

void Hpcc::change_path(const HpccParameters& parameters, const PathFacts& path) {
  Hpcc next(parameters, path);
  const double longer = next.base_rtt_ / base_rtt_;
  next.window_ = std::clamp(window_ * longer, next.least_, next.most_);
  next.reference_ = std::clamp(reference_ * longer, next.least_, next.most_);
  next.utilisation_ = utilisation_;
  next.stage_ = stage_;
  next.last_update_ = last_update_;
  *this = next;
}

void Hpcc::measure(std::span<const HopRecord> now, std::span<const HopRecord> before) {
  double most = 0, tau = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto span = static_cast<double>(now[i].time - before[i].time);
    if (span <= 0) continue;
    const double sent = static_cast<double>(now[i].sent - before[i].sent) * 8e12 / span;
    const double queue = static_cast<double>(std::min(now[i].queued, before[i].queued)) * 8e12;
    const double u = queue / (now[i].rate * base_rtt_) + sent / now[i].rate;
    if (u <= most) continue;
    most = u;
    tau = std::min(span, base_rtt_);
  }
  utilisation_ += tau / base_rtt_ * (most - utilisation_);
}

void Hpcc::acknowledged(const HpccParameters& parameters, const Feedback& feedback,
                        std::span<HopRecord> before) {
  if (has_records_) {
    measure(feedback.hops, before);
    const double load = utilisation_ / parameters.eta;
    const bool divides = load >= 1 || stage_ >= parameters.max_stage;
    window_ = std::clamp((divides ? reference_ / load : reference_) + additive_, least_, most_);
    if (feedback.sequence > last_update_) {
      stage_ = divides ? 0 : stage_ + 1;
      reference_ = window_;
      last_update_ = feedback.next_packet;
    }
  } else {
    last_update_ = feedback.next_packet;
  }
  has_records_ = true;
  std::copy(feedback.hops.begin(), feedback.hops.end(), before.begin());
}

}  // namespace railyard::sim::packet
