#pragma once

#include <cstdint>
#include <span>

#include "sim/packet/links/links.hpp"
#include "sim/packet/transport/feedback.hpp"

namespace railyard::sim::packet {

/// The links of a path (each ends with kNone) and what packets over it weigh.
struct PathLinks {
  std::span<const std::uint32_t> there, back;  ///< back: empty inside a node
  std::uint32_t mtu = 0;                       ///< payload of a packet
  std::uint32_t bytes = 0, ack_bytes = 0;      ///< of a packet and an acknowledgement on the wire
};

/// Facts of a path through empty queues. A path inside a node has no base round-trip time.
[[nodiscard]] PathFacts path_facts(const Links& links, const PathLinks& path);

}  // namespace railyard::sim::packet
