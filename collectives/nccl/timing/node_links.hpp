#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/node/node_paths.hpp"

namespace railyard::collectives::nccl {

/// The NIC by which a GPU sends to a GPU of another node.
enum class NicRule : std::uint8_t {
  own,      ///< its nearest NIC
  relayed,  ///< PXN: the NIC of the local GPU with the peer's number, through that GPU
  far,      ///< PXN off, NCCL_CROSS_NIC=0: the same NIC, used directly by the sender
};

/// The load of one link of a node during an all_to_all, in blocks: `inside` is the number of blocks
/// between GPUs of the node that cross it. `outside` counts the data of one GPU for all other nodes
/// as one block.
struct LinkUse {
  std::uint32_t link = 0;  ///< in the node's shape
  double inside = 0, outside = 0;
  double rate = 0;  ///< line rate in GB/s; NCCL's rate if traffic to distant NICs crosses the link
};

/// The loads of the links that the GPUs `gpus` of a node (indices in the shape) use in an
/// all_to_all with this rule. Only links that are the slowest for some message sizes are kept.
[[nodiscard]] std::vector<LinkUse> exchange_links(const topology::NodeShape& shape,
                                                  std::span<const int> gpus, NicRule rule);

/// The slowest of these links for messages of `inside` bytes to each peer in the node and `outside`
/// bytes to other nodes.
struct SlowestLink {
  double microseconds = 0;
  int link = -1;  ///< in the node's shape; -1: none
};
[[nodiscard]] SlowestLink slowest_link(std::span<const LinkUse> links, double inside,
                                       double outside);

/// The largest total rate in GB/s at which the GPUs of a node can feed their nearest NICs. All NICs
/// run at the same fraction of their own rate, which grows until the first link between GPUs and
/// NICs is full. `rates`: GB/s of each NIC of the shape, 0 for unused NICs. Infinite if there are
/// no links in between.
struct NicLimit {
  double rate = 0;
  int link = -1;
};
[[nodiscard]] NicLimit nic_limit(const topology::NodeShape& shape, std::span<const int> gpus,
                                 std::span<const double> rates);

/// The line rate in GB/s of the slowest link of a ring through these GPUs in the order of the PCIe
/// tree; infinite for one GPU. `link` is an index in the shape.
[[nodiscard]] NicLimit ring_limit(const topology::NodeShape& shape, std::span<const int> gpus);

}  // namespace railyard::collectives::nccl
