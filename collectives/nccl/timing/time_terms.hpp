#pragma once

#include <cstdint>

#include "collectives/nccl/timing/node_links.hpp"
#include "collectives/nccl/tuning/tuning_names.hpp"
#include "collectives/schedule/collective.hpp"

namespace railyard::collectives::nccl {

/// A collective, and NCCL's choice for it. all_to_all and send_recv have no algorithm or protocol.
struct TimeQuery {
  Kind kind = Kind::all_reduce;
  std::int64_t bytes = 0;
  TuningAlgorithm algorithm = TuningAlgorithm::ring;
  Protocol protocol = Protocol::simple;
  /// Launched channels, each with one NIC; 0: enough for all NICs. all_to_all, send_recv: maximum
  /// number for one send; 0: NCCL's plan.
  int channels = 0;
  double channel_share = 1;  ///< if fewer channels than NCCL's own number are requested: the ratio
                             ///< of the two, which limits the GPU's links
  NicRule nics = NicRule::relayed;  ///< all_to_all over nodes
  double wire = 1;                  ///< all_to_all, send_recv: bytes on links per byte of data
  int head_channels = 0;  ///< NVLS: number of channels that are distributed over the heads; 0:
                          ///< evenly
};

/// What limits the bytes of a collective: the links between the GPUs of a node; the NICs; another
/// link of a node that is full; the rate of the channels of a send; or the sender, which waits for
/// free buffer slots.
enum class Bound : std::uint8_t { gpu_links, network, node_link, channels, round_trips };

/// The terms of the time, in us.
struct TimeTerms {
  double launch = 0;  ///< kernel start
  double steps = 0;   ///< consecutive hops of one chunk
  double fill = 0;    ///< until the pipeline is full
  double bytes = 0;   ///< all bytes at the rate of their limit
  Bound bound = Bound::gpu_links;
  int node_link = -1;   ///< Bound::node_link: index in the node's shape
  double messages = 0;  ///< part of `steps`: cost of each message for its sender

  [[nodiscard]] double total() const { return launch + steps + fill + bytes; }
  [[nodiscard]] double latency() const { return launch + steps + fill; }
};

}  // namespace railyard::collectives::nccl
