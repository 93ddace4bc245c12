#pragma once

#include <vector>

#include "collectives/nccl/graph/paths.hpp"
#include "collectives/nccl/tuning/environment.hpp"

namespace railyard::collectives::nccl {

/// Channels that a GPU of the node uses for one peer in a send or receive (NCCL 2.30.7,
/// src/graph/paths.cc, ncclTopoGetNchannels), the minimum over all pairs. NVLink: 2 x the links of
/// the path; PCIe: 2; network: enough to fill the GPU's NICs at 14 GB/s per channel, at least one
/// per NIC. In 2.28 the network has 2, or fewer if there are too many ranks for `p2p_channels`
/// (limited_p2p_channels), and one per NIC, up to the bandwidth of the GPU's link to its CPU.
[[nodiscard]] int p2p_channels_wanted(const System& system, const Paths& paths,
                                      const SearchEnvironment& environment, int ranks,
                                      int p2p_channels);

/// The minimum bandwidth of a NIC path over all GPUs of the node, GB/s; 0 without NICs.
[[nodiscard]] float least_net_bandwidth(const System& system, const Paths& paths,
                                        const SearchEnvironment& environment);

/// Collective, NVLS and p2p channels of a communicator with known graphs, sizes and
/// `channels.p2p_wanted`. `net_bandwidth` is least_net_bandwidth over its nodes. Collective: 2 x
/// the channels of the search; 1.5 times that if CollNet chains are faster inside than outside;
/// twice that if sm_90 rings of more than 45 GB/s have fewer than 16; then NCCL_MAX_ and
/// MIN_NCHANNELS and CTAS. p2p: the next power of two; per peer at most as many as allow all peers
/// in one round.
[[nodiscard]] ChannelCounts channel_counts(const Communicator& communicator,
                                           const SearchEnvironment& environment,
                                           float net_bandwidth);

/// By collective channel, the one of the 2 x search channels that it copies (src/graph/connect.cc,
/// ncclTopoPostset). The number of entries is that of the collective channels.
[[nodiscard]] std::vector<int> channel_origins(const Communicator& communicator,
                                               const SearchEnvironment& environment);
/// p2p channels for this number of collective channels, before rounding up to a power of two.
[[nodiscard]] int limited_p2p_channels(int collective, const SearchEnvironment& environment);
/// The same, rounded up.
[[nodiscard]] int p2p_channels(int collective, const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
