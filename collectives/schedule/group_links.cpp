#include "collectives/schedule/group_links.hpp"

#include <algorithm>

namespace railyard::collectives {
namespace {

using topology::Cluster;
using topology::NodePath;

LinkId link_of(const Cluster& cluster, NodeId node, std::uint32_t local) {
  return LinkId(cluster.node(node).first_link.value() + local);
}

/// The link with the least bandwidth on a path inside a node; none() for an empty path.
LinkId slowest(const Cluster& cluster, NodeId node, const NodePath& path) {
  LinkId found = LinkId::none();
  for (const std::uint32_t local : path.links) {
    const LinkId link = link_of(cluster, node, local);
    if (found == LinkId::none() || cluster.link(link).bandwidth < cluster.link(found).bandwidth)
      found = link;
  }
  return found;
}

/// The first GPU of the group and its NIC; `nic` is -1 if it has none.
struct FirstNic {
  NodeId node;
  int gpu = 0, nic = -1;
};
FirstNic first_nic(const Cluster& cluster, const Group& group) {
  const GroupNode& node = group.nodes().front();
  const int gpu = cluster.local_gpu(group.rank(group.members(node)[0]));
  return {node.node, gpu, cluster.shape(node.node).nearest_nic(gpu)};
}

/// The link from a NIC into the fabric.
LinkId port_of(const Cluster& cluster, NodeId node, int nic) {
  for (const LinkId link : cluster.out_links(cluster.nic(node, nic))) {
    if (cluster.device(cluster.link(link).to).node != node) return link;
  }
  return LinkId::none();
}

}  // namespace

LinkId slowest_link_inside(const Cluster& cluster, const Group& group) {
  const GroupNode& node = group.nodes().front();
  const auto members = group.members(node);
  if (members.size() < 2) return LinkId::none();
  const int from = cluster.local_gpu(group.rank(members[0]));
  const int to = cluster.local_gpu(group.rank(members[1]));
  return slowest(cluster, node.node, cluster.shape(node.node).gpu_to_gpu(from, to));
}

LinkId slowest_link_out(const Cluster& cluster, const Group& group) {
  const auto [node, gpu, nic] = first_nic(cluster, group);
  if (nic < 0) return slowest_link_inside(cluster, group);
  const auto& shape = cluster.shape(node);
  const LinkId inside = slowest(cluster, node, shape.gpu_to_nic(gpu, nic));
  const LinkId port = port_of(cluster, node, nic);
  if (port.is_none() || inside.is_none()) return port.is_none() ? inside : port;
  return shape.nic_rate(nic) < cluster.link(inside).bandwidth ? port : inside;
}

LinkId port_out(const Cluster& cluster, const Group& group) {
  const auto [node, gpu, nic] = first_nic(cluster, group);
  const LinkId port = nic < 0 ? LinkId::none() : port_of(cluster, node, nic);
  return port.is_none() ? slowest_link_inside(cluster, group) : port;
}

std::string link_name(const Cluster& cluster, LinkId link) {
  return link.is_none() ? std::string() : cluster.name(link);
}

}  // namespace railyard::collectives
