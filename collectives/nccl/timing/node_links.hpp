#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/node/node_paths.hpp"

namespace railyard::collectives::nccl {

/// The NIC by which a GPU sends to a GPU of another node.
enum class NicRule : std::uint8_t {
  own,      ///< its nearest one
  relayed,  ///< PXN: the NIC of the local GPU with the peer's number, which relays
  far,      ///< PXN off, NCCL_CROSS_NIC=0: the NIC of the same GPU, used by the sender itself
};

/// The load of a link of a node during an all_to_all: `inside` counts the blocks between two GPUs
/// of the node that cross it, `outside` the blocks of a GPU to all other nodes together.
struct LinkUse {
  std::uint32_t link = 0;  ///< in the node's shape
  double inside = 0, outside = 0;
  double rate = 0;  ///< GB/s: its line rate; NCCL's rate if traffic to far NICs crosses it
};

/// The links that `gpus` of a node (indices in the shape) use in an all_to_all, for each rule. Only
/// links that may be the slowest for some pair of sizes are kept.
[[nodiscard]] std::vector<LinkUse> exchange_links(const topology::NodeShape& shape,
                                                  std::span<const int> gpus, NicRule rule);

/// Time of the slowest of those links in us, for messages of `inside` bytes to each peer of the
/// node and `outside` bytes to other nodes.
struct SlowestLink {
  double microseconds = 0;
  int link = -1;  ///< in the node's shape; -1: none
};
[[nodiscard]] SlowestLink slowest_link(std::span<const LinkUse> links, double inside,
                                       double outside);

/// The total rate in GB/s at which the GPUs of a node can feed their nearest NICs: each NIC gets a
/// rate in proportion to its own, until the first link between them is full. `rates`: GB/s by NIC
/// of the shape, 0 for unused NICs. Infinite if there is no link between.
struct NicLimit {
  double rate = 0;
  int link = -1;
};
[[nodiscard]] NicLimit nic_limit(const topology::NodeShape& shape, std::span<const int> gpus,
                                 std::span<const double> rates);

/// The line rate (GB/s) of the slowest link of a ring through those GPUs in the order of the PCIe
/// tree; infinite for one GPU. `link`: in the shape.
[[nodiscard]] NicLimit ring_limit(const topology::NodeShape& shape, std::span<const int> gpus);

}  // namespace railyard::collectives::nccl
