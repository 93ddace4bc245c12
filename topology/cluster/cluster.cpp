#include "topology/cluster/cluster.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

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

namespace {

// By DeviceKind.
constexpr std::array<std::string_view, 8> kPrefixes{"gpu", "nvswitch", "pcie",  "cpu",
                                                    "nic", "leaf",     "spine", "core"};

/// Devices of nodes come first, then the switches.
std::size_t first_switch(const Cluster& cluster) {
  if (cluster.node_count() == 0) return 0;
  const NodeId last(cluster.node_count() - 1);
  return cluster.node(last).first_device.index() + cluster.shape(last).devices().size();
}

std::string node_device_name(const Device& device) {
  const std::string_view prefix = kPrefixes[static_cast<std::size_t>(device.kind)];
  if (device.kind == DeviceKind::nvswitch) return std::string(prefix);
  return fmt::format("{}{}", prefix, device.index);
}

std::string switch_name(const Device& device, bool has_planes) {
  std::string name = has_planes ? fmt::format("plane{}/", device.plane) : "";
  if (device.kind != DeviceKind::core) name += fmt::format("pod{}/", device.pod);
  return name + fmt::format("{}{}", kPrefixes[static_cast<std::size_t>(device.kind)], device.index);
}

/// The node number in "node12".
std::optional<std::size_t> node_number(std::string_view text) {
  constexpr std::string_view kNode = "node";
  if (!text.starts_with(kNode)) return {};
  text.remove_prefix(kNode.size());
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace

std::string Cluster::name(DeviceId id) const {
  const Device& at = device(id);
  if (!is_fabric_switch(at.kind))
    return fmt::format("node{}/{}", at.node.value(), node_device_name(at));
  const FabricSpec& fabric = spec().fabric;
  if (fabric.kind == FabricKind::explicit_list)
    return fabric.switches[id.index() - first_switch(*this)].name;
  return switch_name(at, fabric.kind == FabricKind::dual_plane);
}

std::string Cluster::name(LinkId id) const {
  return fmt::format("{} -> {}", name(link(id).from), name(link(id).to));
}

std::optional<DeviceId> Cluster::find_device(std::string_view wanted) const {
  const std::size_t slash = wanted.find('/');
  const auto number = node_number(wanted.substr(0, slash));
  if (number && slash != std::string_view::npos && *number < node_count()) {
    const NodeId node_id(*number);
    const std::span<const Device> inner = shape(node_id).devices();
    for (std::size_t i = 0; i < inner.size(); ++i)
      if (node_device_name(inner[i]) == wanted.substr(slash + 1))
        return DeviceId(node(node_id).first_device.index() + i);
  }
  for (std::size_t i = first_switch(*this); i < device_count(); ++i)
    if (name(DeviceId(i)) == wanted) return DeviceId(i);
  return {};
}

}  // namespace railyard::topology
