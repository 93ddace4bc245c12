#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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

/// The first message of a queue pair that is not acknowledged.
struct OpenMessage {
  std::int64_t at = 0;     ///< ps; when its queue pair failed, or when it was posted
  std::int64_t since = 0;  ///< ps; of a failure: the last progress of the queue pair
  std::uint32_t pair = 0, tag = 0;
  std::uint32_t retries = 0;  ///< of a failure: without progress
};
/// By time, then by queue pair.
[[nodiscard]] inline bool is_before(const OpenMessage& a, const OpenMessage& b) {
  return a.at != b.at ? a.at < b.at : a.pair < b.pair;
}

/// A simulation in which a queue pair has failed, or without events while messages are still open.
struct Stall {
  std::uint64_t open_messages = 0, delivered_bytes = 0, posted_bytes = 0, lost = 0;
  std::uint64_t nic_lost = 0;
  bool is_lossless = true, has_credits = false, has_failed_links = false;
  std::optional<OpenMessage> failure, waiting;
  std::vector<std::uint32_t> cycle;  ///< of pauses
};

/// Throws InputError with the cause; `message_name`: of a message by its tag; `name`: of a link, by
/// default its number.
[[noreturn]] void report_stall(const Stall& stall,
                               const std::function<std::string(std::uint32_t tag)>& message_name,
                               const std::function<std::string(std::uint32_t link)>& name);

}  // namespace railyard::sim::packet
