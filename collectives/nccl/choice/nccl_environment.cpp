#include "collectives/nccl/choice/nccl_environment.hpp"

#include <algorithm>

namespace railyard::collectives::nccl {

std::string why_not(const NcclEnvironment& environment, std::string_view algorithm) {
  if (algorithm != "rail_pxn") return {};
  if (environment.search.pxn_disable) return "NCCL_PXN_DISABLE=1";
  if (environment.p2p.pxn_level == 0) return "NCCL_P2P_PXN_LEVEL=0";
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
