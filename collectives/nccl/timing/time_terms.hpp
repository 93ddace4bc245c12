#pragma once

#include <cstdint>

#include "collectives/nccl/timing/node_links.hpp"
#include "collectives/nccl/tuning/tuning_names.hpp"
#include "collectives/schedule/collective.hpp"

namespace railyard::collectives::nccl {

/// What is asked and how NCCL does it. all_to_all and send_recv take no algorithm or protocol.
struct TimeQuery {
  Kind kind = Kind::all_reduce;
  std::int64_t bytes = 0;
  TuningAlgorithm algorithm = TuningAlgorithm::ring;
  Protocol protocol = Protocol::simple;
  /// That are launched, each by one NIC; 0: enough for all NICs. all_to_all, send_recv: at most so
  /// many of a send; 0: as NCCL plans it.
  int channels = 0;
  double channel_share =
      1;  ///< of NCCL's own number, where fewer are asked for: of the GPU's links
  NicRule nics = NicRule::relayed;  ///< all_to_all over nodes
  double wire = 1;                  ///< all_to_all, send_recv: bytes on links per byte of data
  int head_channels = 0;            ///< NVLS: channels that are dealt to the heads; 0: evenly
};

/// What bounds a collective's bytes: the links between the GPUs of a node; NICs; a link of a node
/// that carries no more; the rate of the channels of a send; or how long a sender waits for a free
/// buffer.
enum class Bound : std::uint8_t { gpu_links, network, node_link, channels, round_trips };

/// The terms of the time, in us.
struct TimeTerms {
  double launch = 0;  ///< kernel start
  double steps = 0;   ///< hops that one piece makes after one another
  double fill = 0;    ///< until the pipeline is full
  double bytes = 0;   ///< all bytes at the rate of what bounds them
  Bound bound = Bound::gpu_links;
  int node_link = -1;   ///< Bound::node_link: in the node's shape
  double messages = 0;  ///< part of `steps`: what each message costs its sender

  [[nodiscard]] double total() const { return launch + steps + fill + bytes; }
  [[nodiscard]] double latency() const { return launch + steps + fill; }
};

}  // namespace railyard::collectives::nccl
