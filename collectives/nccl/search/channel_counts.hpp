#pragma once

#include <vector>

#include "collectives/nccl/graph/paths.hpp"
#include "collectives/nccl/tuning/environment.hpp"

namespace railyard::collectives::nccl {

/// The number of channels that a GPU of the node needs for one peer in a send or receive (NCCL
/// 2.30.7, src/graph/paths.cc, ncclTopoGetNchannels); the minimum over all pairs.
///   NVLink:  2 x the number of links of the path
///   PCIe:    2
///   network: enough to fill the GPU's NICs at 14 GB/s per channel, and at least one per NIC
/// In 2.28 the network needs 2 channels, or 1 if the communicator has too many ranks for
/// `p2p_channels` (limited_p2p_channels), and at least one per NIC; NICs count up to the bandwidth
/// of the GPU's link to its CPU.
[[nodiscard]] int p2p_channels_wanted(const System& system, const Paths& paths,
                                      const SearchEnvironment& environment, int ranks,
                                      int p2p_channels);

/// The minimum bandwidth of a NIC path over all GPUs of the node, GB/s; 0 without NICs.
[[nodiscard]] float least_net_bandwidth(const System& system, const Paths& paths,
                                        const SearchEnvironment& environment);

/// The collective, NVLS and p2p channels of a communicator whose graphs, sizes and
/// `channels.p2p_wanted` are known. `net_bandwidth` is the minimum of least_net_bandwidth() over
/// its nodes.
///
/// Collective channels: 2 x the channels of the search; 1.5 times that if CollNet chains are faster
/// inside nodes than between them; twice that if sm_90 rings of more than 45 GB/s have fewer than
/// 16; then limited by NCCL_MIN_NCHANNELS, NCCL_MAX_NCHANNELS and the CTA variables. p2p channels:
/// the next power of two. Channels per peer: at most as many as let all peers be served in one
/// round.
[[nodiscard]] ChannelCounts channel_counts(const Communicator& communicator,
                                           const SearchEnvironment& environment,
                                           float net_bandwidth);

/// For each collective channel, the index of the connected channel that it copies; NCCL connects 2
/// x (channels of the search) channels (src/graph/connect.cc, ncclTopoPostset).
[[nodiscard]] std::vector<int> channel_origins(const Communicator& communicator,
                                               const SearchEnvironment& environment);
/// p2p channels for this number of collective channels, before rounding up to a power of two.
[[nodiscard]] int limited_p2p_channels(int collective, const SearchEnvironment& environment);
/// Like limited_p2p_channels(), rounded up to a power of two.
[[nodiscard]] int p2p_channels(int collective, const SearchEnvironment& environment);

}  // namespace railyard::collectives::nccl
