#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/node/node_paths.hpp"

namespace railyard::collectives::nccl {

/// By which NIC a GPU sends to a GPU of another node.
enum class NicRule : std::uint8_t {
  own,      ///< its nearest one
  relayed,  ///< PXN: that of the local GPU with the peer's number, which hands over
  far,      ///< PXN off, NCCL_CROSS_NIC=0: that of the same GPU, driven by the sender itself
};

/// A link of a node under an all_to_all: how often it carries what a GPU sends to one GPU of its
/// node (`inside`), and what a GPU sends to all other nodes together (`outside`).
struct LinkUse {
  std::uint32_t link = 0;  ///< in the node's shape
  double inside = 0, outside = 0;
  double rate = 0;  ///< GB/s: its line rate; NCCL's count where traffic to far NICs crosses it
};

/// The links that `gpus` of a node (indices in the shape) use in an all_to_all, each rule's own.
/// Only links that may be the slowest for some pair of sizes are kept.
[[nodiscard]] std::vector<LinkUse> exchange_links(const topology::NodeShape& shape,
                                                  std::span<const int> gpus, NicRule rule);

/// How long the slowest of those links takes, in us, for messages of `inside` bytes to each peer of
/// the node and `outside` bytes to other nodes.
struct SlowestLink {
  double microseconds = 0;
  int link = -1;  ///< in the node's shape; -1: none
};
[[nodiscard]] SlowestLink slowest_link(std::span<const LinkUse> links, double inside,
                                       double outside);

/// What the NICs of a node get together from the GPUs next to them, GB/s: each at a rate in
/// proportion to its own, until the first link between is full. `rates`: GB/s by NIC of the shape,
/// 0 where a NIC is not used. Infinite where nothing is in between.
struct NicLimit {
  double rate = 0;
  int link = -1;
};
[[nodiscard]] NicLimit nic_limit(const topology::NodeShape& shape, std::span<const int> gpus,
                                 std::span<const double> rates);

/// The line rate (GB/s) of the slowest link that a ring through those GPUs in the order of the PCIe
/// tree crosses; infinite for one GPU. `link`: in the shape.
[[nodiscard]] NicLimit ring_limit(const topology::NodeShape& shape, std::span<const int> gpus);

}  // namespace railyard::collectives::nccl
