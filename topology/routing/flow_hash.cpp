#include "topology/routing/flow_hash.hpp"

namespace railyard::topology {
namespace {

// 2^64 divided by the golden ratio, odd: the increment of SplitMix64.
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
// Queue pair numbers have 24 bits (InfiniBand Architecture Specification, volume 1, section 9.2).
constexpr std::uint64_t kQueuePairBits = 24;
// First dynamic port that RoCE v2 uses: IB_ROCE_UDP_ENCAP_VALID_PORT_MIN, include/rdma/ib_verbs.h.
constexpr std::uint32_t kFirstPort = 0xC000;
constexpr std::uint32_t kPortMask = 0x3fff;
constexpr std::uint64_t kFlowLabelMask = 0xfffff;

std::uint64_t addresses(const QueuePair& pair) {
  return (std::uint64_t{pair.source.value()} << 32) | pair.destination.value();
}

std::uint64_t identity(const QueuePair& pair, std::uint64_t seed) {
  const std::uint64_t connection = (std::uint64_t{pair.label} << 32) | pair.number;
  return mix(mix(addresses(pair) + kGolden * (seed + 1)) + mix(connection + kGolden));
}

}  // namespace

std::uint16_t udp_source_port(const QueuePair& pair, std::uint64_t seed) {
  const std::uint64_t drawn = identity(pair, seed);
  const std::uint64_t mask = (std::uint64_t{1} << kQueuePairBits) - 1;
  std::uint64_t label = (drawn & mask) * ((drawn >> kQueuePairBits) & mask);
  label ^= label >> 20;
  label ^= label >> 40;
  label &= kFlowLabelMask;
  const auto folded = static_cast<std::uint32_t>((label & kPortMask) ^ (label >> 14));
  return static_cast<std::uint16_t>(kFirstPort | folded);
}

std::uint16_t candidate_source_port(const QueuePair& pair, std::uint32_t candidate,
                                    std::uint64_t seed) {
  const std::uint64_t drawn = mix(identity(pair, seed) + kGolden * (std::uint64_t{candidate} + 1));
  return static_cast<std::uint16_t>(kFirstPort | (static_cast<std::uint32_t>(drawn) & kPortMask));
}

std::uint64_t flow_key(const QueuePair& pair, std::uint16_t source_port) {
  return mix(addresses(pair) + kGolden) ^ (std::uint64_t{source_port} * kGolden);
}

}  // namespace railyard::topology
