#include "sim/packet/links/links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/diagnostic.hpp"

namespace railyard::sim::packet {
namespace {

constexpr std::uint8_t kFirstRingLog = 4;

}  // namespace

Links::Links(std::span<const LinkSpec> specs, bool cuts_through, std::uint32_t lanes)
    : ports_(static_cast<std::uint32_t>(specs.size())), links_(specs.size() * lanes) {
  specs_.reserve(links_.size());
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    for (LinkSpec spec : specs) {
      if (spec.reverse != kNone) spec.reverse += lane * ports_;
      specs_.push_back(spec);
    }
  }
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    const LinkSpec& spec = specs_[i];
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
    link.cut = cuts_through && !spec.is_last ? 1 : 0;
    link.is_sender = spec.is_sender ? 1 : 0;
    rates_.push_back(rate);
    set_rate(static_cast<std::uint32_t>(i), spec.rate);
  }
}

void Links::set_rate(std::uint32_t number, Bandwidth rate) {
  const auto bits = static_cast<std::uint64_t>(rate.bits_per_second());
  rates_[number] = rate.bits_per_second();
  links_[number].ps_per_byte =
      kBitTime % bits == 0 ? static_cast<std::uint32_t>(kBitTime / bits) : 0;
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
