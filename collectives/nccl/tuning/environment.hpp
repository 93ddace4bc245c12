#pragma once

#include <optional>
#include <string>

#include "collectives/nccl/graph/graph.hpp"

namespace railyard::collectives::nccl {

/// NCCL_NETDEVS_POLICY: the NICs of a GPU.
enum class NetDevicesPolicy { automatic, all, at_most };

/// The NCCL_* variables of the search and the channel counts, with the defaults of NCCL 2.30.7. Not
/// set: NCCL decides.
struct SearchEnvironment {
  Version version = Version::v2_30;
  int cross_nic = 2;                        ///< CROSS_NIC: 0 never, 1 always, 2 if faster
  bool p2p_disable = false;                 ///< P2P_DISABLE; overrides P2P_LEVEL
  std::optional<PathType> p2p_level{};      ///< P2P_LEVEL
  std::optional<PathType> net_gdr_level{};  ///< NET_GDR_LEVEL
  bool net_gdr_c2c = true;                  ///< NET_GDR_C2C
  std::optional<bool> net_gdr_read{};       ///< NET_GDR_READ
  bool pxn_disable = false;                 ///< PXN_DISABLE
  bool pxn_c2c = true;                      ///< PXN_C2C
  bool nvb_disable = false;                 ///< NVB_DISABLE
  bool nvls_enable = true;                  ///< NVLS_ENABLE
  bool collnet_enable = false;              ///< COLLNET_ENABLE
  int collnet_node_threshold = 2;           ///< COLLNET_NODE_THRESHOLD
  NetDevicesPolicy net_devices = NetDevicesPolicy::automatic;  ///< NETDEVS_POLICY
  int net_devices_limit = 0;                                   ///< n of NETDEVS_POLICY=MAX:n
  bool net_disable_intra = false;                     ///< NET_DISABLE_INTRA: nodes are not split
  bool scatter_nets = true;                           ///< MNNVL_SCATTER_NETS_ENABLE
  std::optional<int> min_channels{}, max_channels{};  ///< MIN_/MAX_NCHANNELS
  std::optional<int> min_ctas{}, max_ctas{};          ///< MIN_/MAX_CTAS
  std::optional<int> nvls_channels{};                 ///< NVLS_NCHANNELS
  std::optional<int> min_p2p_channels{}, max_p2p_channels{};  ///< MIN_/MAX_P2P_NCHANNELS
  std::optional<int> channels_per_net_peer{};                 ///< NCHANNELS_PER_NET_PEER
  std::optional<int> max_p2p_peers{};                         ///< P2P_MAX_PEERS
  int p2p_channel_net_bandwidth = 14;                         ///< P2P_PER_CHANNEL_NET_BW, GB/s

  /// NET_MERGE_LEVEL: the largest distance between fused nets. nvl means PORT: the same card.
  PathType merge_level = PathType::nvl;
  std::string force_merge{};   ///< NET_FORCE_MERGE: "a,b;c,d:2"
  bool merge_by_rail = false;  ///< NET_MERGE_POLICY=RAIL (2.30)
  bool merge_nics = true;      ///< IB_MERGE_NICS

  std::string graph_file{};  ///< GRAPH_FILE: graphs in place of searched ones

  friend bool operator==(const SearchEnvironment&, const SearchEnvironment&) = default;
};

}  // namespace railyard::collectives::nccl
