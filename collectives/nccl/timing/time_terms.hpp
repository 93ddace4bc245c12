#pragma once

#include <cstdint>

#include "collectives/nccl/tuning/tuning_names.hpp"
#include "collectives/schedule/collective.hpp"

namespace railyard::collectives::nccl {

/// What is asked and how NCCL does it. all_to_all and send_recv take no algorithm or protocol.
struct TimeQuery {
  Kind kind = Kind::all_reduce;
  std::int64_t bytes = 0;
  TuningAlgorithm algorithm = TuningAlgorithm::ring;
  Protocol protocol = Protocol::simple;
  int channels = 0;  ///< that are launched, each by one NIC; 0: enough for all NICs
  double channel_share =
      1;               ///< of NCCL's own number, where fewer are asked for: of the GPU's links
  bool relays = true;  ///< all_to_all over nodes: by PXN
};

/// What bounds a collective's bytes: links, or how long a sender waits for a free buffer.
enum class Bound : std::uint8_t { gpu_links, network, round_trips };

/// The terms of the time, in us.
struct TimeTerms {
  double launch = 0;  ///< kernel start
  double steps = 0;   ///< hops that one piece makes after one another
  double fill = 0;    ///< until the pipeline is full
  double bytes = 0;   ///< all bytes at the rate of what bounds them
  Bound bound = Bound::gpu_links;

  [[nodiscard]] double total() const { return launch + steps + fill + bytes; }
  [[nodiscard]] double latency() const { return launch + steps + fill; }
};

}  // namespace railyard::collectives::nccl
