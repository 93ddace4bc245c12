#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace railyard::sim::packet {

/// The number of packets between two domains, estimated by the routes that use their link.
struct DomainLink {
  std::uint32_t from = 0, to = 0;  ///< domains
  std::uint64_t hops = 0;          ///< routes that use it
};

/// Distributes domains over threads, so that all threads have about the same number of hops and few
/// packets change the thread. Returns the shard of each domain, below `shards`.
///
/// Domains that send (`is_host`) are cut into consecutive parts of equal work, in the order of
/// their numbers, because neighbours share leaves and pods. Then, from the hosts outwards, each
/// other domain joins the shard with which it exchanges most of its hops. If its hops are spread
/// over the shards, as those of a core are, it joins the shard with the least work.
///
/// Example: 2 pods of 2 leaves and 2 spines on 2 threads: a pod each, and half of the cores.
[[nodiscard]] std::vector<std::uint16_t> assign_shards(std::span<const std::uint8_t> is_host,
                                                       std::span<const DomainLink> links,
                                                       std::size_t shards);

}  // namespace railyard::sim::packet
