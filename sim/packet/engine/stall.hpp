#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/packet/links/links.hpp"

namespace railyard::sim::packet {

/// Links whose pauses wait for each other in a circle; empty: there is no such circle. Link i waits
/// for link o where a packet that came by i is in the paused queue of o. `route_links`: what
/// Packet::at points into.
[[nodiscard]] std::vector<std::uint32_t> pause_cycle(const Links& links,
                                                     std::span<const std::uint32_t> route_links);

/// A simulation without events in which messages are still open.
struct Stall {
  std::uint64_t open_messages = 0, delivered_bytes = 0, posted_bytes = 0, lost = 0;
  std::uint64_t nic_lost = 0;
  bool is_lossless = true, has_credits = false;
  std::vector<std::uint32_t> cycle;  ///< of pauses
};

/// Throws InputError with the cause; `name`: of a link, by default its number.
[[noreturn]] void report_stall(const Stall& stall,
                               const std::function<std::string(std::uint32_t link)>& name);

}  // namespace railyard::sim::packet
