#include "topology/cluster/cluster.hpp"

namespace railyard::topology {

std::span<const LinkId> Cluster::out_links(DeviceId id) const {
  const std::uint32_t begin = first_out_[id.index()];
  return std::span(out_links_).subspan(begin, first_out_[id.index() + 1] - begin);
}

Rank Cluster::rank_of(DeviceId gpu) const {
  const Device& device = devices_[gpu.index()];
  return Rank(nodes_[device.node.index()].first_rank.value() + device.index);
}

DeviceId Cluster::nic(NodeId id, int local_nic) const {
  return DeviceId(node(id).first_device.value() + shape(id).nic_device(local_nic));
}

DeviceId Cluster::nvswitch(NodeId id) const {
  const NodeShape& inner = shape(id);
  const auto at = static_cast<std::size_t>(inner.gpu_count());
  if (at >= inner.devices().size() || inner.devices()[at].kind != DeviceKind::nvswitch) return {};
  return DeviceId(node(id).first_device.index() + at);
}

}  // namespace railyard::topology
