#pragma once

#include <cstdint>
#include <span>

#include "sim/packet/links/links.hpp"
#include "sim/packet/transport/feedback.hpp"

namespace railyard::sim::packet {

/// The links of a path (each list ends with kNone) and the sizes of its packets.
struct PathLinks {
  std::span<const std::uint32_t> there, back;  ///< back: empty inside a node
  std::uint32_t mtu = 0;                       ///< payload of a full packet, bytes
  std::uint32_t bytes = 0, ack_bytes = 0;      ///< wire bytes of a full packet and of an
                                               ///< acknowledgement
};

/// The facts of a path through empty queues. A path inside a node has no base round-trip time (0).
[[nodiscard]] PathFacts path_facts(const Links& links, const PathLinks& path);

}  // namespace railyard::sim::packet
