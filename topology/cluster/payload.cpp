#include "topology/cluster/payload.hpp"

#include <array>

namespace railyard::topology {
namespace {

// InfiniBand Architecture Specification 1.4, chapter 5: LRH 8, BTH 12, ICRC 4, VCRC 2. The RETH
// (16) of an RDMA write is only in its first packet and is ignored.
constexpr std::int64_t kInfiniband = 8 + 12 + 4 + 2;
// IEEE 802.3: preamble and SFD 8, MAC header 14, FCS 4, inter-packet gap 12.
constexpr std::int64_t kEthernet = 8 + 14 + 4 + 12;
// InfiniBand Architecture Specification 1.4, annex A17 (RoCEv2): IPv4 20, UDP 8, BTH 12, ICRC 4.
constexpr std::int64_t kRoce = kEthernet + 20 + 8 + 12 + 4;
// RFC 791, RFC 9293, RFC 7323: IPv4 20, TCP 20, timestamps option 12.
constexpr std::int64_t kTcp = kEthernet + 20 + 20 + 12;

/// By Transport.
constexpr std::array<std::int64_t, 3> kOverheads{kInfiniband, kRoce, kTcp};

}  // namespace

Bytes packet_overhead(const FabricSpec& fabric) {
  return fabric.packet_overhead.value_or(
      Bytes(kOverheads[static_cast<std::size_t>(fabric.transport)]));
}

double payload_fraction(const FabricSpec& fabric) {
  const auto payload = static_cast<double>(fabric.mtu);
  return payload / (payload + static_cast<double>(packet_overhead(fabric).count()));
}

}  // namespace railyard::topology
