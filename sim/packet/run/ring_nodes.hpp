#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "sim/packet/packet_options.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim::packet {

/// The nodes of a schedule whose channels are rings that visit the nodes in the same order, with g
/// places (GPUs) per node, and a description of the traffic of each node.
///
/// The form of a node is a hash of the paths of its transfers. It contains rate, latency and kind
/// of each link, and the other transfers that use the link and its reverse, by channel and place
/// within their node. Users on the node itself and on the two nodes before and behind it are
/// described by their distance. Users further away are described by the forms of the nodes around
/// them.
///
/// Example: 128 nodes below two groups of rail-optimised leaves. Nodes 63 and 127 send over a
/// spine, and acknowledgements to node 63 share links with data of node 127. All other nodes have
/// the same form.
class RingNodes {
 public:
  static constexpr std::uint32_t kNear = 2;

  /// Nothing if the schedule is not such a ring, if pieces differ in their bytes, or if the network
  /// treats nodes differently although their links are equal: the policies `balanced`, `adaptive`
  /// and `spray`, clocks that differ, and NICs whose receive rate is limited.
  [[nodiscard]] static std::optional<RingNodes> of(const topology::Cluster& cluster,
                                                   const PacketOptions& options,
                                                   const collectives::Schedule& rings);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(local_.size()); }
  [[nodiscard]] std::uint32_t per_node() const { return per_node_; }
  /// The forms by node, in the order of the ring. A user that is far away is described by the nodes
  /// from `reach` before its node to kNear behind it.
  [[nodiscard]] std::vector<std::uint64_t> forms(std::uint32_t reach) const;
  /// The links of the transfers of a node: one path after the other, in the order of channels and
  /// places.
  [[nodiscard]] std::span<const LinkId> links(std::uint32_t node) const {
    return std::span(links_).subspan(first_link_[node], first_link_[node + 1] - first_link_[node]);
  }

  /// The number of links on which packets are counted (Counters::data_hops), added over the paths
  /// of all transfers: the links of the network, or 1 for a path inside a node.
  [[nodiscard]] std::uint64_t hops() const { return hops_; }

 private:
  class Builder;

  /// A user of a link of a node, on another node that is not near (kNear).
  struct FarUser {
    std::uint64_t link;  ///< hash of the position of the link in the paths and of the user's place
    std::uint32_t node;
  };

  std::uint32_t per_node_ = 0;
  std::uint64_t hops_ = 0;
  std::vector<std::uint64_t> local_;  ///< forms without far users
  std::vector<LinkId> links_;
  std::vector<std::size_t> first_link_;          ///< by node, and the end
  std::vector<std::vector<FarUser>> far_users_;  ///< by node
};

}  // namespace railyard::sim::packet
