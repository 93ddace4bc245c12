#include "sim/packet/parameters.hpp"

#include "core/diagnostic.hpp"

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
  return parameters.nic.ack_interval.value_or(needs_round_trips(parameters.congestion) ? 1 : 256);
}

void check(const Parameters& parameters) {
  Diagnostics problems("");
  const bool has_window =
      parameters.congestion == Congestion::hpcc || parameters.congestion == Congestion::swift;
  if (has_window && ack_interval_of(parameters) != 1)
    problems.add("nic.ack_interval",
                 "hpcc and swift need an acknowledgement per packet: a window that closes before "
                 "the next acknowledgement would stop the queue pair",
                 "leave ack_interval out, or set it to 1");
  problems.throw_if_any();
}

}  // namespace railyard::sim::packet
