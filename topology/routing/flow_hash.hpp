#pragma once

#include <cstdint>

#include "core/id.hpp"

namespace railyard::topology {

/// A 64-bit bijection whose output bits each depend on all input bits: the finaliser of SplitMix64
/// (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, figure
/// 17, with Stafford's constants "Mix13"). Better than the CRCs of real switches, which are linear.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// The identity of a queue pair: the two NICs (the IP addresses of the 5-tuple), the label of the
/// connection and the number of the queue pair.
struct QueuePair {
  DeviceId source;
  DeviceId destination;
  std::uint32_t label = 0;
  std::uint32_t number = 0;
};

/// The UDP source port that Linux gives a RoCE v2 queue pair without a flow label: v = local QPN x
/// remote QPN, v ^= v >> 20, v ^= v >> 40, fl = low 20 bits, port = 0xC000 | ((fl & 0x3fff) ^ (fl
/// >> 14)) (rdma_calc_flow_label and rdma_flow_label_to_udp_sport in include/rdma/ib_verbs.h). The
/// 24-bit QPNs are random numbers from `seed` and the queue pair.
[[nodiscard]] std::uint16_t udp_source_port(const QueuePair& pair, std::uint64_t seed);

/// The `candidate`-th source port that software tries for a queue pair (one of the 2^14 ports of
/// RoCE v2, random from `seed`); see RoutingPolicy::balanced.
[[nodiscard]] std::uint16_t candidate_source_port(const QueuePair& pair, std::uint32_t candidate,
                                                  std::uint64_t seed);

/// The input of the hash of switches: the addresses and the source port. Protocol (UDP) and
/// destination port (4791) are the same for all RoCE v2 traffic. A switch adds its seed: mix(key ^
/// seed).
[[nodiscard]] std::uint64_t flow_key(const QueuePair& pair, std::uint16_t source_port);

}  // namespace railyard::topology
