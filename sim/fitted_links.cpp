#include "sim/fitted_links.hpp"

#include "topology/node/node_paths.hpp"

namespace railyard::sim {
namespace {

using topology::Device;
using topology::DeviceKind;
using topology::LinkKind;

/// Whether a NIC is one of the nearest of a GPU. -1 means the nearest NIC. A switch has no NIC.
bool is_near(const topology::Cluster& cluster, const Device& device, int nic) {
  if (nic < 0 || device.kind != DeviceKind::gpu) return true;
  const topology::NodeShape& shape = cluster.shape(device.node);
  const int gpu = static_cast<int>(device.index);
  return shape.gpu_to_nic(gpu, nic).type <= shape.gpu_to_nic(gpu, shape.nearest_nic(gpu)).type;
}

}  // namespace

FittedLinks::FittedLinks(const topology::Cluster& cluster, const collectives::Schedule& schedule,
                         const collectives::Transfer& transfer, LinkKind inside)
    : cluster_(cluster) {
  const bool relayed = transfer.relay != collectives::kNoParticipant;
  const Device& source =
      cluster.device(schedule.device(cluster, relayed ? transfer.relay : transfer.source));
  const Device& destination = cluster.device(schedule.device(cluster, transfer.destination));
  source_ = source.node;
  if (source.node == destination.node) {
    at_source_ = at_destination_ = inside != LinkKind::nvlink;
    return;
  }
  at_source_ = is_near(cluster, source, transfer.source_nic);
  at_destination_ = is_near(cluster, destination, transfer.destination_nic);
  uses_far_nic_ = !at_source_ || !at_destination_;
}

bool FittedLinks::covers(const topology::Link& link) const {
  if (link.kind == LinkKind::nvlink) return true;
  return cluster_.device(link.from).node == source_ ? at_source_ : at_destination_;
}

}  // namespace railyard::sim
