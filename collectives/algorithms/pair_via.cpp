#include "collectives/algorithms/pair_via.hpp"

#include <algorithm>

namespace railyard::collectives {

PairVia::PairVia(const topology::Cluster& cluster, const Group& group, PairRule rule)
    : rule_(rule) {
  for (const GroupNode& node : group.nodes()) {
    width_ = std::max(width_, static_cast<std::uint32_t>(cluster.shape(node.node).gpu_count()));
  }
  gpus_.resize(group.nodes().size() * width_);
  for (std::size_t i = 0; i < group.nodes().size(); ++i) {
    const topology::NodeShape& shape = cluster.shape(group.nodes()[i].node);
    for (int gpu = 0; gpu < shape.gpu_count(); ++gpu) {
      gpus_[i * width_ + static_cast<std::size_t>(gpu)].nic =
          static_cast<std::int8_t>(shape.nearest_nic(gpu));
    }
  }
  locations_.reserve(group.size());
  for (std::uint32_t position = 0; position < group.size(); ++position) {
    const Rank rank = group.rank(position);
    const int gpu = cluster.local_gpu(rank);
    locations_.push_back({.node = group.node_index(position),
                          .gpu = static_cast<std::uint16_t>(gpu),
                          .nic = static_cast<std::int8_t>(cluster.rail_of(rank))});
    gpus_[std::size_t{group.node_index(position)} * width_ + static_cast<std::size_t>(gpu)]
        .position = position;
  }
}

HopVia PairVia::operator()(std::uint32_t source, std::uint32_t destination) const {
  const RankLocation& from = locations_[source];
  const RankLocation& to = locations_[destination];
  if (from.node == to.node) return {};
  const Gpu& peer = gpus_[from.node * width_ + to.gpu];
  if (peer.nic < 0) return {};
  if (rule_ == PairRule::direct) return {.source_nic = peer.nic};
  if (peer.position == kNoParticipant) return {};
  // If the sender's own NIC is on the peer's rail, no relay is needed.
  if (peer.nic == from.nic) return {.source_nic = peer.nic};
  return {.relay = peer.position, .source_nic = peer.nic};
}

}  // namespace railyard::collectives
