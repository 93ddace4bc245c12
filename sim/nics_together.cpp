#include "sim/nics_together.hpp"

#include <algorithm>

namespace railyard::sim {
namespace {

/// For each NIC of a shape, the NICs that are used together with it; empty if none are.
std::vector<std::vector<int>> nics_together(const topology::NodeShape& shape) {
  std::vector<std::vector<int>> together(static_cast<std::size_t>(shape.nic_count()));
  bool any = false;
  for (int gpu = 0; gpu < shape.gpu_count(); ++gpu) {
    const std::span<const int> nics = shape.nics_of_gpu(gpu);
    if (nics.size() < 2) continue;
    std::vector<int> sorted(nics.begin(), nics.end());
    std::ranges::sort(sorted);
    together[static_cast<std::size_t>(nics.front())] = std::move(sorted);
    any = true;
  }
  if (!any) together.clear();
  return together;
}

}  // namespace

NicsTogether::NicsTogether(const topology::Cluster& cluster) : cluster_(cluster) {
  for (const auto& shape : cluster.shapes()) together_.push_back(nics_together(*shape));
  if (std::ranges::all_of(together_, [](const auto& nics) { return nics.empty(); }))
    together_.clear();
}

std::span<const int> NicsTogether::beside(DeviceId id, int nic) const {
  const topology::Device& device = cluster_.device(id);
  if (device.node.is_none() || device.kind == topology::DeviceKind::nic) return {};
  const auto& together = together_[cluster_.node(device.node).shape];
  if (together.empty()) return {};
  if (nic < 0 && device.kind == topology::DeviceKind::gpu)
    nic = cluster_.shape(device.node).nearest_nic(static_cast<int>(device.index));
  return nic < 0 ? std::span<const int>() : together[static_cast<std::size_t>(nic)];
}

std::vector<int> NicsTogether::working(NodeId node, std::span<const int> nics,
                                       std::span<const LinkId> failed) const {
  std::vector<int> found(nics.begin(), nics.end());
  if (failed.empty()) return found;
  std::erase_if(found, [&](int nic) {
    return std::ranges::all_of(cluster_.out_links(cluster_.nic(node, nic)), [&](LinkId link) {
      return cluster_.link(link).kind != topology::LinkKind::port ||
             std::ranges::find(failed, link) != failed.end();
    });
  });
  return found.empty() ? std::vector<int>(nics.begin(), nics.end()) : found;
}

std::vector<topology::Connection> NicsTogether::connections(const topology::Connection& whole,
                                                            std::span<const LinkId> failed,
                                                            std::size_t least) const {
  const NodeId here = cluster_.device(whole.source).node;
  const NodeId there = cluster_.device(whole.destination).node;
  if (together_.empty() || (!here.is_none() && here == there)) return {whole};
  const auto from = working(here, beside(whole.source, whole.source_nic), failed);
  const auto to = working(there, beside(whole.destination, whole.destination_nic), failed);
  std::vector<topology::Connection> each(std::max({from.size(), to.size(), least}), whole);
  for (std::size_t i = 0; i < each.size(); ++i) {
    if (!from.empty()) each[i].source_nic = from[i % from.size()];
    if (!to.empty()) each[i].destination_nic = to[i % to.size()];
  }
  return each;
}

}  // namespace railyard::sim
