#include "apps/binding_link.hpp"

#include <algorithm>

namespace railyard::apps {
namespace {

using topology::Cluster;
using topology::NodePath;

LinkId link_of(const Cluster& cluster, NodeId node, std::uint32_t local) {
  return LinkId(cluster.node(node).first_link.value() + local);
}

/// The narrowest link of a way through a node, none() for an empty one.
LinkId slowest(const Cluster& cluster, NodeId node, const NodePath& path) {
  LinkId found = LinkId::none();
  for (const std::uint32_t local : path.links) {
    const LinkId link = link_of(cluster, node, local);
    if (found == LinkId::none() || cluster.link(link).bandwidth < cluster.link(found).bandwidth)
      found = link;
  }
  return found;
}

/// A NIC's link into the fabric.
LinkId port_of(const Cluster& cluster, NodeId node, int nic) {
  for (const LinkId link : cluster.out_links(cluster.nic(node, nic))) {
    if (cluster.device(cluster.link(link).to).node != node) return link;
  }
  return LinkId::none();
}

}  // namespace

std::string slowest_link_inside(const Cluster& cluster, const collectives::Group& group) {
  const collectives::GroupNode& node = group.nodes().front();
  const auto members = group.members(node);
  if (members.size() < 2) return {};
  const int from = cluster.local_gpu(group.rank(members[0]));
  const int to = cluster.local_gpu(group.rank(members[1]));
  const LinkId link = slowest(cluster, node.node, cluster.shape(node.node).gpu_to_gpu(from, to));
  return link == LinkId::none() ? std::string() : cluster.name(link);
}

std::string slowest_link_out(const Cluster& cluster, const collectives::Group& group) {
  const collectives::GroupNode& node = group.nodes().front();
  const int gpu = cluster.local_gpu(group.rank(group.members(node)[0]));
  const auto& shape = cluster.shape(node.node);
  const int nic = shape.nearest_nic(gpu);
  if (nic < 0) return slowest_link_inside(cluster, group);
  const LinkId inside = slowest(cluster, node.node, shape.gpu_to_nic(gpu, nic));
  const LinkId port = port_of(cluster, node.node, nic);
  if (port == LinkId::none()) return inside == LinkId::none() ? "" : cluster.name(inside);
  if (inside == LinkId::none()) return cluster.name(port);
  const bool nic_is_slower = shape.nic_rate(nic) < cluster.link(inside).bandwidth;
  return cluster.name(nic_is_slower ? port : inside);
}

}  // namespace railyard::apps
