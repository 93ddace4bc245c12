#include "sim/packet/parameters.hpp"

#include <algorithm>

namespace railyard::sim::packet {

Bytes headroom_of(const PausedLink& link) {
  const auto rate = static_cast<__int128>(link.rate.bits_per_second());
  const auto back = static_cast<__int128>(link.back.bits_per_second());
  const auto rounded_up = [](__int128 a, __int128 b) {
    return Bytes(static_cast<std::int64_t>((a + b - 1) / b));
  };
  const Bytes on_the_way =
      rounded_up(rate * (link.round_trip + link.reaction).picoseconds(), 8'000'000'000'000);
  const Bytes before_the_pause = rounded_up(rate * (link.packet + link.pause_frame).count(), back);
  return on_the_way + before_the_pause + link.packet * 2;
}

std::size_t class_count(const SwitchParameters& switches) {
  return std::max<std::size_t>(switches.classes.size(), 1);
}

std::size_t queue_count(const SwitchParameters& switches) {
  return class_count(switches) + (switches.control == ControlQueue::shared ? 0 : 1);
}

bool is_lossless(const SwitchParameters& switches, std::size_t queue) {
  if (queue >= switches.classes.size()) return switches.lossless;
  return switches.classes[queue].lossless.value_or(switches.lossless);
}

bool loses_data(const SwitchParameters& switches) {
  for (std::size_t queue = 0; queue < class_count(switches); ++queue)
    if (!is_lossless(switches, queue)) return true;
  return false;
}

double alpha_of(const SwitchParameters& switches, std::size_t queue) {
  if (queue >= switches.classes.size()) return switches.alpha;
  return switches.classes[queue].alpha.value_or(switches.alpha);
}

const EcnParameters& ecn_of(const SwitchParameters& switches, std::size_t queue) {
  const bool has_own = queue < switches.classes.size() && switches.classes[queue].ecn;
  return has_own ? *switches.classes[queue].ecn : switches.ecn;
}

int ack_interval_of(const Parameters& parameters) {
  if (parameters.nic.ack_interval) return *parameters.nic.ack_interval;
  switch (parameters.congestion) {
    case Congestion::none:
    case Congestion::ibcc:
    case Congestion::dcqcn: return 256;
    case Congestion::hpcc:
    case Congestion::swift:
    case Congestion::timely:
    case Congestion::ndp: return 1;
    case Congestion::nscc:
    case Congestion::rccc: return 4;  // 16 KiB in packets of 4 KiB (uet-htsim)
  }
  return 1;
}

}  // namespace railyard::sim::packet
