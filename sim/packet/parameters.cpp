#include "sim/packet/parameters.hpp"

namespace railyard::sim::packet {

Bytes headroom_of(Bandwidth rate, Time round_trip, Time reaction, Bytes packet, Bytes pause_frame) {
  const Time wait = round_trip + reaction;
  // Rounded up: rate * wait / 8e12.
  const auto product = static_cast<__int128>(rate.bits_per_second()) * wait.picoseconds();
  const auto on_the_way =
      static_cast<std::int64_t>((product + 7'999'999'999'999) / 8'000'000'000'000);
  return Bytes(on_the_way) + packet * 3 + pause_frame;
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
    case Congestion::rccc: return 4;  // 16 KiB of 4 KiB packets (uet-htsim)
  }
  return 1;
}

}  // namespace railyard::sim::packet
