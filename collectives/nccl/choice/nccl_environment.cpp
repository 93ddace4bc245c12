#include "collectives/nccl/choice/nccl_environment.hpp"

#include <algorithm>

namespace railyard::collectives::nccl {

std::string why_not(const NcclEnvironment& environment, std::string_view algorithm) {
  if (algorithm != "rail_pxn") return {};
  if (environment.search.pxn_disable) return "NCCL_PXN_DISABLE=1";
  if (environment.p2p.pxn_level == 0) return "NCCL_P2P_PXN_LEVEL=0";
  return {};
}

// NCCL 2.29.7 and later: src/transport/net_ib/p2p_resiliency.cc; the variable's default is 0.
// Failover requires a connection of several devices.
std::string why_stopped_by_nic(const NcclEnvironment& environment, bool has_partner) {
  if (environment.search.version == Version::v2_28)
    return "NCCL 2.28 stops when a NIC fails during a collective; port failover needs 2.29.7";
  if (!environment.port_failover)
    return "NCCL stops when a NIC fails during a collective, because port failover is off";
  if (!has_partner)
    return "NCCL stops when this NIC fails during a collective: port failover needs another NIC of "
           "the same GPU, and there is none";
  return {};
}

std::optional<int> clamped_channels(const NcclEnvironment& environment, int own) {
  const auto& search = environment.search;
  int channels = own;
  for (const auto& most : {search.max_channels, search.max_ctas}) {
    if (most) channels = std::min(channels, *most);
  }
  for (const auto& least : {search.min_channels, search.min_ctas}) {
    if (least) channels = std::max(channels, *least);
  }
  return channels == own ? std::nullopt : std::optional(channels);
}

}  // namespace railyard::collectives::nccl
