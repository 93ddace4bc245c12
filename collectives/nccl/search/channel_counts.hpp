#pragma once

#include <vector>

#include "collectives/nccl/graph/paths.hpp"
#include "collectives/nccl/tuning/environment.hpp"

namespace railyard::collectives::nccl {

/// Channels that a GPU of the node wants for one peer in a send or receive (NCCL 2.30.7,
/// src/graph/paths.cc, ncclTopoGetNchannels), the fewest over all pairs. NVLink: 2 x the links of
/// the path; PCIe 2; network: enough to fill the GPU's NICs at 14 GB/s a channel, at least one a
/// NIC. In 2.28 the network has 2, fewer where the ranks are many for `p2p_channels`
/// (limited_p2p_channels), and a NIC each, up to the bandwidth of the GPU's link to a CPU that it
/// hangs on.
[[nodiscard]] int p2p_channels_wanted(const System& system, const Paths& paths,
                                      const SearchEnvironment& environment, int ranks,
                                      int p2p_channels);

/// The least bandwidth of a NIC path of any GPU of the node, GB/s; 0 without NICs.
[[nodiscard]] float least_net_bandwidth(const System& system, const Paths& paths,
                                        const SearchEnvironment& environment);

/// Collective, NVLS and p2p channels of a communicator whose graphs, sizes and
/// `channels.p2p_wanted` are known. `net_bandwidth` is least_net_bandwidth over its nodes.
/// Collective: 2 x search's, half as many again where CollNet chains are faster inside than out,
/// twice as many where sm_90 rings of more than 45 GB/s have fewer than 16; then NCCL_MAX_ and
/// MIN_NCHANNELS and CTAS. p2p: the next power of two; per peer at most so many that all peers fit
/// into one round.
[[nodiscard]] ChannelCounts channel_counts(const Communicator& communicator,
                                           const SearchEnvironment& environment,
                                           float net_bandwidth);

/// By collective channel, which of the 2 x search channels it is a copy of (src/graph/connect.cc,
/// ncclTopoPostset). Their number is the collective channels'.
[[nodiscard]] std::vector<int> channel_origins(const Communicator& communicator,
                                               const SearchEnvironment& environment);
/// p2p channels for so many collective ones, before they are rounded up to a power of two.
[[nodiscard]] int limited_p2p_channels(int collective, const SearchEnvironment& environment);
/// The same, rounded up.
[[nodiscard]] int p2p_channels(int collective, const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
