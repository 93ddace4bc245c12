#include "sim/packet/parameters.hpp"

namespace railyard::sim::packet {

Bytes headroom_of(Bandwidth rate, Time latency, Time reaction, Bytes packet, Bytes pause_frame) {
  const Time wait = latency * 2 + reaction;
  // Rounded up: rate * wait / 8e12.
  const auto product = static_cast<__int128>(rate.bits_per_second()) * wait.picoseconds();
  const auto on_the_way =
      static_cast<std::int64_t>((product + 7'999'999'999'999) / 8'000'000'000'000);
  return Bytes(on_the_way) + packet * 3 + pause_frame;
}

}  // namespace railyard::sim::packet
