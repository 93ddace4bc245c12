#include "topology/routing/node_router.hpp"

#include <algorithm>

namespace railyard::topology {
namespace {

// The link by which a search arrived at a device. A GPU forwards traffic that arrived over NVLink
// only over NVLink (NCCL's path type "nvb"). A NIC forwards no traffic inside a node.
struct Arrival {
  LinkId by;
  bool is_found = false;
};

bool may_pass(const Cluster& cluster, const Arrival& arrival, DeviceId at, const Link& next) {
  switch (cluster.device(at).kind) {
    case DeviceKind::gpu:
      return cluster.link(arrival.by).kind == LinkKind::nvlink && next.kind == LinkKind::nvlink;
    case DeviceKind::nic: return false;
    default: return true;
  }
}

}  // namespace

NodeRouter::NodeRouter(const Cluster& cluster, const Faults& faults)
    : cluster_(&cluster), live_(cluster, faults) {}

DeviceId NodeRouter::device(NodeId node, End end) const {
  if (end.kind == DeviceKind::nvswitch) return cluster_->nvswitch(node);
  const NodeShape& shape = cluster_->shape(node);
  const std::uint32_t local =
      end.kind == DeviceKind::gpu ? shape.gpu_device(end.number) : shape.nic_device(end.number);
  return DeviceId(cluster_->node(node).first_device.value() + local);
}

bool NodeRouter::route(NodeId node, End from, End to, std::vector<Hop>& hops) const {
  const std::size_t first = hops.size();
  const bool has_path = from.kind != DeviceKind::nvswitch && to.kind != DeviceKind::nvswitch;
  const bool found = has_path ? by_shape(node, from, to, hops)
                              : by_link(device(node, from), device(node, to), hops);
  const auto begin = hops.begin() + static_cast<std::ptrdiff_t>(first);
  if (found && (live_.all_live() || std::all_of(begin, hops.end(), [&](const Hop& hop) {
                  return live_.is_live(hop.link);
                }))) {
    return true;
  }
  hops.resize(first);
  return by_search(node, device(node, from), device(node, to), hops);
}

bool NodeRouter::by_shape(NodeId node, End from, End to, std::vector<Hop>& hops) const {
  const NodeShape& shape = cluster_->shape(node);
  NodePath path;
  if (from.kind == DeviceKind::gpu && to.kind == DeviceKind::gpu) {
    path = shape.gpu_to_gpu(from.number, to.number);
  } else if (from.kind == DeviceKind::gpu) {
    path = shape.gpu_to_nic(from.number, to.number);
  } else if (to.kind == DeviceKind::gpu) {
    path = shape.nic_to_gpu(from.number, to.number);
  }
  const std::uint32_t first_link = cluster_->node(node).first_link.value();
  for (const std::uint32_t local : path.links) hops.push_back({LinkId(first_link + local), 1.0});
  return !path.links.empty();
}

bool NodeRouter::by_link(DeviceId from, DeviceId to, std::vector<Hop>& hops) const {
  for (const LinkId link : cluster_->out_links(from)) {
    if (cluster_->link(link).to != to || !live_.is_live(link)) continue;
    hops.push_back({link, 1.0});
    return true;
  }
  return false;
}

bool NodeRouter::by_search(NodeId node, DeviceId from, DeviceId to, std::vector<Hop>& hops) const {
  const std::uint32_t first = cluster_->node(node).first_device.value();
  std::vector<Arrival> arrivals(cluster_->shape(node).devices().size());
  std::vector<DeviceId> queue{from};
  arrivals[from.value() - first].is_found = true;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const DeviceId at = queue[head];
    for (const LinkId id : cluster_->out_links(at)) {
      const Link& link = cluster_->link(id);
      if (cluster_->device(link.to).node != node || !live_.is_live(id)) continue;
      Arrival& there = arrivals[link.to.value() - first];
      if (there.is_found) continue;
      if (at != from && !may_pass(*cluster_, arrivals[at.value() - first], at, link)) continue;
      there = {id, true};
      queue.push_back(link.to);
    }
  }
  if (!arrivals[to.value() - first].is_found) return false;
  const auto begin = static_cast<std::ptrdiff_t>(hops.size());
  for (DeviceId at = to; at != from; at = cluster_->link(hops.back().link).from) {
    hops.push_back({arrivals[at.value() - first].by, 1.0});
  }
  std::reverse(hops.begin() + begin, hops.end());
  return true;
}

}  // namespace railyard::topology
