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

/// The identity of a queue pair: its two NICs (for the IP addresses of the 5-tuple), the label of
/// the connection and the number of the queue pair within the connection.
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

/// A source port for `balanced` routing: the `candidate`-th random port (of the 2^14 RoCE v2 ports)
/// for a queue pair. See RoutingPolicy::balanced.
[[nodiscard]] std::uint16_t candidate_source_port(const QueuePair& pair, std::uint32_t candidate,
                                                  std::uint64_t seed);

/// The input of a switch's ECMP hash: addresses and source port. The protocol (UDP) and the
/// destination port (4791) are the same for all RoCE v2 traffic and are left out. Each switch adds
/// its own seed: mix(key ^ seed).
[[nodiscard]] std::uint64_t flow_key(const QueuePair& pair, std::uint16_t source_port);

}  // namespace railyard::topology
