#include "sim/packet/transport/path_facts.hpp"

namespace railyard::sim::packet {
namespace {

/// ps from the start of a packet at the first link of a path to its complete arrival at the end.
std::int64_t time_of(const Links& links, std::span<const std::uint32_t> way, std::uint32_t bytes) {
  std::int64_t time = 0;
  for (std::size_t i = 0; way[i] != kNone; ++i) {
    const Link& link = links[way[i]];
    time += links.arrival_delay(link, bytes, links.time_on(link, bytes));
    if (way[i + 1] == kNone) continue;
    Packet packet;
    packet.bytes = static_cast<std::uint16_t>(bytes);
    time += links.earliest_start(link, links[way[i + 1]], packet);
  }
  return time;
}

}  // namespace

PathFacts path_facts(const Links& links, const PathLinks& path) {
  PathFacts facts;
  facts.line_rate = static_cast<double>(links.spec(path.there[0]).rate.bits_per_second());
  facts.mtu = path.mtu;
  facts.wire = path.bytes;
  if (path.back.empty()) return facts;
  facts.base_rtt =
      time_of(links, path.there, path.bytes) + time_of(links, path.back, path.ack_bytes);
  for (std::size_t i = 0; path.there[i + 1] != kNone; ++i) ++facts.switches;
  return facts;
}

}  // namespace railyard::sim::packet
