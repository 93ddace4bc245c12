#pragma once

#include <cstdint>

#include "sim/packet/parameters.hpp"

namespace railyard::sim::packet {

/// Time-outs without progress, after `retries` of them, ps: retransmit_timeout, or from
/// first_timeout on twice as long each time until then.
[[nodiscard]] std::int64_t timeout_after(const NicParameters& nic, std::uint32_t retries);

/// Retries without progress before a queue pair fails: the time-outs that fit into as much time as
/// seven of retransmit_timeout take, the largest value of the 3 bits of InfiniBand's retry count.
[[nodiscard]] std::uint8_t most_retries(const NicParameters& nic);

}  // namespace railyard::sim::packet
