#pragma once

#include <cstdint>
#include <optional>

#include "collectives/nccl/graph/graph.hpp"
#include "collectives/nccl/timing/buffers.hpp"
#include "collectives/schedule/collective.hpp"

/// How NCCL does a send or receive, of which its all-to-all consists: over how many channels, with
/// which protocol, in what pieces (NCCL 2.30 src/enqueue.cc, addP2pToPlan; src/init.cc,
/// computeBuffSizes). It chooses nothing by time.
namespace railyard::collectives::nccl {

/// What the user's environment says to it.
struct P2pSettings {
  int pxn_level = 2;  ///< NCCL_P2P_PXN_LEVEL: 0 no relays; 2 wherever they can be
  std::optional<std::int64_t> net_chunk;     ///< NCCL_P2P_NET_CHUNKSIZE, bytes
  std::optional<std::int64_t> nvlink_chunk;  ///< NCCL_P2P_NVL_CHUNKSIZE
  std::optional<std::int64_t> pcie_chunk;    ///< NCCL_P2P_PCI_CHUNKSIZE
  std::int64_t ll_threshold = 16384;         ///< NCCL_P2P_LL_THRESHOLD, bytes per channel
  BufferSizes buffers{};                     ///< NCCL_BUFFSIZE and its like
};

/// What a send's plan depends on beside its bytes. No channels: not known.
struct P2pLimits {
  int nodes = 1;
  int ranks = 1;
  int channels = 0;               ///< of all sends
  int per_peer = 1;               ///< at most, of one of them
  std::int64_t step = 0;          ///< bytes of a slot of Simple
  std::int64_t ll_threshold = 0;  ///< bytes per channel
  std::int64_t ll_step = 0;       ///< bytes of a slot of LL, flags in it
};
[[nodiscard]] P2pLimits p2p_limits(const Communicator& communicator, const P2pSettings& settings);

/// One send (or receive) of some bytes to one peer.
struct P2pPlan {
  int channels = 0;
  Protocol protocol = Protocol::simple;
  std::int64_t step = 0;   ///< bytes of a slot of the connection's buffer
  std::int64_t chunk = 0;  ///< payload that is sent at once
};

/// Size of a step of Simple between any two ranks of the communicator: by its slowest kind of link.
[[nodiscard]] std::int64_t p2p_step(const Communicator& communicator, const P2pSettings& settings);

/// How `bytes` go to one peer; `network`: on another node. The connections of the network have no
/// buffers for LL unless asked for.
[[nodiscard]] P2pPlan plan_p2p(const P2pLimits& limits, std::int64_t bytes, bool network);
[[nodiscard]] P2pPlan plan_p2p(const Communicator& communicator, const P2pSettings& settings,
                               std::int64_t bytes, bool network);

}  // namespace railyard::collectives::nccl
