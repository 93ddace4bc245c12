#include "placement/mapping/exchange.hpp"

#include <algorithm>
#include <cmath>

namespace railyard::placement {

Exchange::Exchange(const Tiers& tiers)
    : tiers_(&tiers),
      base_(tiers.range(TrunkTier::leaf).begin),
      on_node_(tiers.cluster().node_count(), 0),
      rail_seen_(tiers.rail_count(), false),
      at_leaf_(tiers.leaf_count(), 0),
      at_pod_(tiers.pod_count(), 0),
      from_leaf_(tiers.leaf_count(), 0),
      from_pod_(tiers.pod_count(), 0),
      start_(tiers.cluster().node_count(), 0) {}

void Exchange::count_nodes(std::span<const Rank> gpus) {
  for (const std::uint32_t node : nodes_) on_node_[node] = 0;
  nodes_.clear();
  for (const Rank gpu : gpus) {
    const std::uint32_t node = tiers_->gpu_position(gpu).node;
    if (on_node_[node]++ == 0) nodes_.push_back(node);
  }
}

bool Exchange::has_rails(std::span<const Rank> gpus) {
  for (const std::uint32_t rail : rails_) rail_seen_[rail] = false;
  rails_.clear();
  for (const Rank gpu : gpus) {
    const std::uint32_t rail = tiers_->gpu_position(gpu).rail;
    if (rail_seen_[rail]) continue;
    rail_seen_[rail] = true;
    rails_.push_back(rail);
  }
  return std::ranges::all_of(nodes_, [&](std::uint32_t node) {
    return std::ranges::all_of(
        rails_, [&](std::uint32_t rail) { return !tiers_->on_rail(node, rail).is_none(); });
  });
}

void Exchange::add_uplinks(std::span<const Rank> gpus, double each, bool pxn, UplinkLoads& loads) {
  count_nodes(gpus);
  if (nodes_.size() < 2) return;
  if (!pxn || !has_rails(gpus)) {
    add_direct(gpus, each, loads);
    return;
  }
  for (const std::uint32_t rail : rails_) add_by_rail(gpus, each, rail, loads);
}

void Exchange::add_direct(std::span<const Rank> gpus, double each, UplinkLoads& loads) {
  const auto n = static_cast<double>(gpus.size());
  // Every flow of the exchange has the same size.
  const auto add = [&](std::size_t trunk, double bytes) {
    loads.bytes[trunk - base_] += bytes;
    loads.squares[trunk - base_] += bytes * std::abs(each);
  };
  for (const Rank gpu : gpus) {
    const Tiers::GpuPosition& position = tiers_->gpu_position(gpu);
    ++at_leaf_[position.leaf];
    ++at_pod_[position.pod];
  }
  // Members by node, to count those that share a leaf or a pod with another of their node.
  std::uint32_t next = 0;
  for (const std::uint32_t node : nodes_) {
    start_[node] = next;
    next += on_node_[node];
  }
  order_.resize(gpus.size());
  for (const Rank gpu : gpus) order_[start_[tiers_->gpu_position(gpu).node]++] = gpu.value();
  for (std::size_t first = 0; first < gpus.size();) {
    const std::uint32_t k = on_node_[tiers_->gpu_position(Rank(order_[first])).node];
    const std::span<const std::uint32_t> here = std::span(order_).subspan(first, k);
    for (const std::uint32_t gpu : here) {
      const Tiers::GpuPosition& position = tiers_->gpu_position(Rank(gpu));
      ++from_leaf_[position.leaf];
      ++from_pod_[position.pod];
    }
    for (const std::uint32_t gpu : here) {
      const Tiers::GpuPosition& position = tiers_->gpu_position(Rank(gpu));
      const double leaf = each * (n - at_leaf_[position.leaf] - k + from_leaf_[position.leaf]);
      const double pod = each * (n - at_pod_[position.pod] - k + from_pod_[position.pod]);
      add(tiers_->leaf_up(position.leaf), leaf);
      add(tiers_->leaf_down(position.leaf), leaf);
      add(tiers_->pod_up(position.pod), pod);
      add(tiers_->pod_down(position.pod), pod);
    }
    for (const std::uint32_t gpu : here) {
      const Tiers::GpuPosition& position = tiers_->gpu_position(Rank(gpu));
      from_leaf_[position.leaf] = from_pod_[position.pod] = 0;
    }
    first += k;
  }
  for (const Rank gpu : gpus) {
    const Tiers::GpuPosition& position = tiers_->gpu_position(gpu);
    at_leaf_[position.leaf] = at_pod_[position.pod] = 0;
  }
}

void Exchange::add_by_rail(std::span<const Rank> gpus, double each, std::uint32_t rail,
                           UplinkLoads& loads) {
  leaves_.clear();
  pods_.clear();
  for (const std::uint32_t node : nodes_) {
    const Tiers::GpuPosition& position = tiers_->gpu_position(tiers_->on_rail(node, rail));
    if (from_leaf_[position.leaf] == 0) leaves_.push_back(position.leaf);
    if (from_pod_[position.pod] == 0) pods_.push_back(position.pod);
    from_leaf_[position.leaf] += on_node_[node];
    from_pod_[position.pod] += on_node_[node];
  }
  double destinations = 0;
  for (const Rank gpu : gpus) {
    const Tiers::GpuPosition& position = tiers_->gpu_position(gpu);
    if (position.rail != rail) continue;
    ++at_leaf_[position.leaf];
    ++at_pod_[position.pod];
    destinations += 1;
  }
  const auto n = static_cast<double>(gpus.size());
  // Every flow of the exchange has the same size.
  const auto add = [&](std::size_t trunk, double bytes) {
    loads.bytes[trunk - base_] += bytes;
    loads.squares[trunk - base_] += bytes * std::abs(each);
  };
  for (const std::uint32_t leaf : leaves_) {
    add(tiers_->leaf_up(leaf), each * from_leaf_[leaf] * (destinations - at_leaf_[leaf]));
    add(tiers_->leaf_down(leaf), each * at_leaf_[leaf] * (n - from_leaf_[leaf]));
    at_leaf_[leaf] = from_leaf_[leaf] = 0;
  }
  for (const std::uint32_t pod : pods_) {
    add(tiers_->pod_up(pod), each * from_pod_[pod] * (destinations - at_pod_[pod]));
    add(tiers_->pod_down(pod), each * at_pod_[pod] * (n - from_pod_[pod]));
    at_pod_[pod] = from_pod_[pod] = 0;
  }
}

}  // namespace railyard::placement
