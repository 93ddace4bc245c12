#include "sim/packet/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/diagnostic.hpp"

namespace railyard::sim::packet {
namespace {

constexpr std::uint8_t kFirstRingLog = 4;

}  // namespace

Links::Links(std::span<const LinkSpec> specs, bool cuts_through)
    : specs_(specs.begin(), specs.end()), links_(specs.size()) {
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const LinkSpec& spec = specs[i];
    const std::int64_t rate = spec.rate.bits_per_second();
    const std::int64_t latency = spec.latency.picoseconds();
    if (rate <= 0) throw InputError("", "", "a link of a packet simulation needs a bandwidth");
    if (latency > std::numeric_limits<std::uint32_t>::max())
      throw InputError("", "",
                       fmt::format("a latency of {} is too long", core::to_text(spec.latency)),
                       "packet simulation supports at most 4.29 ms per link");
    Link& link = links_[i];
    link.latency = static_cast<std::uint32_t>(latency);
    link.to = spec.to;
    if (kBitTime % static_cast<std::uint64_t>(rate) == 0)
      link.ps_per_byte = static_cast<std::uint32_t>(kBitTime / static_cast<std::uint64_t>(rate));
    link.cut = cuts_through && !spec.is_last ? 1 : 0;
    link.is_sender = spec.is_sender ? 1 : 0;
    rates_.push_back(rate);
  }
}

void Links::grow(Link& link) {
  if (link.ring == nullptr) {
    link.ring = pool_.take(kFirstRingLog);
    link.ring_log = kFirstRingLog;
    return;
  }
  const auto log = static_cast<std::uint8_t>(link.ring_log + 1);
  Packet* larger = pool_.take(log);
  const std::uint32_t mask = (1U << log) - 1;
  for (std::uint32_t i = link.head; i != link.tail; ++i) larger[i & mask] = link.slot(i);
  pool_.give_back(link.ring, link.ring_log);
  link.ring_log = log;
  link.ring = larger;
}

}  // namespace railyard::sim::packet
