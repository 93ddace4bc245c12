#pragma once

#include <cstdint>
#include <optional>

#include "collectives/nccl/graph/graph.hpp"
#include "collectives/nccl/timing/buffers.hpp"
#include "collectives/schedule/collective.hpp"

/// How NCCL sends and receives, also within its all-to-all: channels, protocol and chunks (NCCL
/// 2.30 src/enqueue.cc, addP2pToPlan; src/init.cc, computeBuffSizes). NCCL does not choose these by
/// time.
namespace railyard::collectives::nccl {

/// Settings of the user's environment.
struct P2pSettings {
  int pxn_level = 2;  ///< NCCL_P2P_PXN_LEVEL: 0 no relays; 2 relays wherever possible
  std::optional<std::int64_t> net_chunk;     ///< NCCL_P2P_NET_CHUNKSIZE, bytes
  std::optional<std::int64_t> nvlink_chunk;  ///< NCCL_P2P_NVL_CHUNKSIZE
  std::optional<std::int64_t> pcie_chunk;    ///< NCCL_P2P_PCI_CHUNKSIZE
  std::int64_t ll_threshold = 16384;         ///< NCCL_P2P_LL_THRESHOLD, bytes per channel
  BufferSizes buffers{};                     ///< NCCL_BUFFSIZE and similar
};

/// The settings that determine how a message is sent. `channels` of 0 means unknown.
struct P2pLimits {
  int nodes = 1;
  int ranks = 1;
  int channels = 0;               ///< for all sends
  int per_peer = 1;               ///< maximum for one send
  std::int64_t step = 0;          ///< bytes of a slot of Simple
  std::int64_t ll_threshold = 0;  ///< bytes per channel
  std::int64_t ll_step = 0;       ///< bytes of a slot of LL, flags included
};
[[nodiscard]] P2pLimits p2p_limits(const Communicator& communicator, const P2pSettings& settings);

/// One send (or receive) of some bytes to one peer.
struct P2pPlan {
  int channels = 0;
  Protocol protocol = Protocol::simple;
  std::int64_t step = 0;   ///< bytes of a slot of the connection's buffer
  std::int64_t chunk = 0;  ///< payload per step
};

/// Slot size in bytes of Simple for sends between any two ranks of the communicator: that of its
/// slowest kind of link.
[[nodiscard]] std::int64_t p2p_step(const Communicator& communicator, const P2pSettings& settings);

/// How NCCL sends `bytes` to one peer; `network`: the peer is on another node. Connections over the
/// network only have LL buffers if these are requested.
[[nodiscard]] P2pPlan plan_p2p(const P2pLimits& limits, std::int64_t bytes, bool network);
[[nodiscard]] P2pPlan plan_p2p(const Communicator& communicator, const P2pSettings& settings,
                               std::int64_t bytes, bool network);

}  // namespace railyard::collectives::nccl
