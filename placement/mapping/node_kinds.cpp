#include "placement/mapping/node_kinds.hpp"

#include <algorithm>

namespace railyard::placement {

NodeKinds::NodeKinds(const Tiers& tiers, std::span<const std::uint32_t> nodes,
                     std::span<const double> seconds_per_byte)
    : tiers_(&tiers), kinds_(tiers.cluster().node_count(), kNone) {
  for (const std::uint32_t node : nodes) {
    if (kinds_[node] != kNone) continue;
    look_at_leaves(node);
    const auto same = std::ranges::find_if(examples_, [&](std::uint32_t example) {
      return are_alike(example, node, seconds_per_byte);
    });
    kinds_[node] = static_cast<std::uint32_t>(same - examples_.begin());
    if (same == examples_.end()) examples_.push_back(node);
  }
}

bool NodeKinds::are_alike(std::uint32_t a, std::uint32_t b,
                          std::span<const double> seconds_per_byte) const {
  const topology::Cluster& cluster = tiers_->cluster();
  if (cluster.node(NodeId(a)).shape != cluster.node(NodeId(b)).shape) return false;
  const topology::NodeShape& shape = cluster.shape(NodeId(a));
  const std::span<const double> speed =
      seconds_per_byte.empty() ? tiers_->bandwidth() : seconds_per_byte;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(shape.nic_count()); ++i) {
    const std::uint32_t x = tiers_->first_nic(a) + i, y = tiers_->first_nic(b) + i;
    if ((tiers_->nic(x).leaf == Tiers::kNone) != (tiers_->nic(y).leaf == Tiers::kNone))
      return false;
    if (speed[tiers_->port_up(x)] != speed[tiers_->port_up(y)] ||
        speed[tiers_->port_down(x)] != speed[tiers_->port_down(y)])
      return false;
  }
  const auto links = [&](std::uint32_t node) {
    return speed.subspan(tiers_->inside(node, 0), shape.links().size());
  };
  return std::ranges::equal(links(a), links(b));
}

void NodeKinds::look_at_leaves(std::uint32_t node) {
  const int nics = tiers_->cluster().shape(NodeId(node)).nic_count();
  std::uint32_t leaf = Tiers::kNone;
  for (int i = 0; i < nics; ++i) {
    const std::uint32_t here =
        tiers_->nic(tiers_->first_nic(node) + static_cast<std::uint32_t>(i)).leaf;
    if (leaf == Tiers::kNone) leaf = here;
    if (here != leaf) is_flat_ = false;
  }
}

std::vector<std::uint32_t> nodes_of(const Tiers& tiers, std::span<const Rank> gpus) {
  std::vector<std::uint32_t> nodes;
  std::vector<bool> seen(tiers.cluster().node_count(), false);
  for (const Rank gpu : gpus) {
    const std::uint32_t node = tiers.gpu_position(gpu).node;
    if (!seen[node]) nodes.push_back(node);
    seen[node] = true;
  }
  return nodes;
}

}  // namespace railyard::placement
