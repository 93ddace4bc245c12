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

/// The nodes of a schedule whose channels are rings that visit them in one order, with g places
/// (GPUs) on each, and how the traffic of each node looks.
///
/// The form of a node is a hash of the paths of its transfers: rate, latency and kind of each link,
/// and who else uses the link and its reverse, by channel and place within the node. Users on the
/// node itself and on the two before and behind it count by their distance. Users further away
/// count by the forms of the nodes around them.
///
/// Example: 128 nodes below two groups of rail-optimised leaves. Nodes 63 and 127 send by a spine.
/// All others have one form. Acknowledgements to node 63 share links with data of node 127.
class RingNodes {
 public:
  static constexpr std::uint32_t kNear = 2;

  /// Nothing where the schedule is anything but such rings, where pieces differ in their bytes, or
  /// where the network distinguishes nodes by more than their links: `balanced`, `adaptive` and
  /// `spray`, clocks, and NICs with a limit of ingress.
  [[nodiscard]] static std::optional<RingNodes> of(const topology::Cluster& cluster,
                                                   const PacketOptions& options,
                                                   const collectives::Schedule& rings);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(local_.size()); }
  [[nodiscard]] std::uint32_t per_node() const { return per_node_; }
  /// By node, in the order of the ring. The nodes around another one: from `reach` before it to
  /// kNear behind it.
  [[nodiscard]] std::vector<std::uint64_t> forms(std::uint32_t reach) const;
  /// The links of the transfers of a node: path after path, in the order of channels and places.
  [[nodiscard]] std::span<const LinkId> links(std::uint32_t node) const {
    return std::span(links_).subspan(first_link_[node], first_link_[node + 1] - first_link_[node]);
  }

  /// Links that packets of all transfers are counted on (Counters::data_hops): on each path those
  /// of the network, or one inside a node.
  [[nodiscard]] std::uint64_t hops() const { return hops_; }

 private:
  class Builder;

  /// A user of a link of a node, on another node that is not near.
  struct FarUser {
    std::uint64_t link;  ///< hash of the link's place in the paths, and of the user's place
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
