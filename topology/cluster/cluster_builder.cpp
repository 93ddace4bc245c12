#include "topology/cluster/cluster_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "core/available_memory.hpp"
#include "core/diagnostic.hpp"
#include "topology/node/node_check.hpp"

namespace railyard::topology {
namespace {

// Devices and links have 32-bit ids. Half of the range is reserved for the fabric.
constexpr std::size_t kMostInNodes = std::numeric_limits<std::uint32_t>::max() / 2;

void check_nodes(const ClusterSpec& spec) {
  Diagnostics problems(spec.file);
  if (spec.node_specs.empty() || spec.node_specs.size() != spec.node_counts.size())
    problems.add("/node", "the cluster has no nodes");
  for (std::size_t i = 0; i < std::min(spec.node_specs.size(), spec.node_counts.size()); ++i) {
    if (spec.node_counts[i] < 1) problems.add("/nodes", "must be at least 1");
    for (const NodeProblem& problem : check_node(spec.node_specs[i]))
      problems.add("/node", spec.node_specs[i].name + problem.pointer + ": " + problem.message);
  }
  problems.throw_if_any();
}

/// Rejects clusters that do not fit in memory. The estimate is twice the size of the nodes' devices
/// and links, which leaves as much for the fabric, the CSR arrays and the link loads.
void check_memory(const ClusterSpec& spec, std::size_t devices, std::size_t links) {
  const double needed = 2.0 * static_cast<double>(devices * sizeof(Device) + links * sizeof(Link));
  const auto available = static_cast<double>(core::available_memory());
  if (needed <= available) return;
  std::int64_t nodes = 0;
  for (const int count : spec.node_counts) nodes += count;
  throw InputError(
      spec.file, "/nodes",
      fmt::format("{} nodes need about {:.0f} GB of memory, but only {:.1f} GB are free", nodes,
                  needed / 1e9, available / 1e9),
      fmt::format("at most about {:.0f} nodes fit",
                  std::floor(available / needed * static_cast<double>(nodes))));
}

}  // namespace

void ClusterBuilder::note_nics(const NodeShape& shape) {
  std::map<int, int> nics_of_rail;
  for (int nic = 0; nic < shape.nic_count(); ++nic) {
    const int rail = shape.rail_of_nic(nic);
    fastest_nic_ = std::max(fastest_nic_, shape.nic_rate(nic));
    rails_ = std::max(rails_, rail + 1);
    most_nics_of_rail_ = std::max(most_nics_of_rail_, ++nics_of_rail[rail]);
  }
  most_nics_ = std::max(most_nics_, shape.nic_count());
}

ClusterBuilder::ClusterBuilder(ClusterSpec spec) {
  check_nodes(spec);
  cluster_.spec_ = std::make_shared<const ClusterSpec>(std::move(spec));
  add_nodes();
}

void ClusterBuilder::add_nodes() {
  const ClusterSpec& spec = cluster_.spec();
  std::size_t devices = 0, links = 0;
  for (std::size_t group = 0; group < spec.node_specs.size(); ++group) {
    auto shape = std::make_shared<const NodeShape>(spec.node_specs[group]);
    const auto count = static_cast<std::size_t>(spec.node_counts[group]);
    devices += count * shape->devices().size();
    links += count * shape->links().size();
    note_nics(*shape);
    cluster_.shapes_.push_back(std::move(shape));
  }
  if (std::max(devices, links) > kMostInNodes)
    throw InputError(spec.file, "/nodes", "too many nodes", "at most 4e9 devices and links");
  check_memory(spec, devices, links);
  cluster_.devices_.reserve(devices);
  cluster_.links_.reserve(links);
  for (std::uint32_t group = 0; group < spec.node_specs.size(); ++group)
    for (int i = 0; i < spec.node_counts[group]; ++i) add_node(group);
}

void ClusterBuilder::add_node(std::uint32_t shape_index) {
  const NodeShape& shape = *cluster_.shapes_[shape_index];
  const NodeId id(cluster_.nodes_.size());
  const auto first_device = static_cast<std::uint32_t>(cluster_.devices_.size());
  const auto first_link = static_cast<std::uint32_t>(cluster_.links_.size());
  cluster_.nodes_.push_back({.first_device = DeviceId(first_device),
                             .first_link = LinkId(first_link),
                             .first_rank = Rank(cluster_.gpu_of_rank_.size()),
                             .shape = shape_index});
  for (Device device : shape.devices()) {
    device.node = id;
    const DeviceId added(cluster_.devices_.size());
    if (device.kind == DeviceKind::gpu) cluster_.gpu_of_rank_.push_back(added);
    if (device.kind == DeviceKind::nic) nics_.push_back(added);
    cluster_.devices_.push_back(device);
  }
  for (Link link : shape.links()) {
    link.from = DeviceId(first_device + link.from.value());
    link.to = DeviceId(first_device + link.to.value());
    link.reverse = LinkId(first_link + link.reverse.value());
    cluster_.links_.push_back(link);
  }
}

Bandwidth ClusterBuilder::nic_rate(std::size_t nic) const {
  const Device& device = cluster_.device(nics_[nic]);
  return cluster_.shape(device.node).nic_rate(static_cast<int>(device.index));
}

int ClusterBuilder::nic_rail(std::size_t nic) const {
  const Device& device = cluster_.device(nics_[nic]);
  return cluster_.shape(device.node).rail_of_nic(static_cast<int>(device.index));
}

DeviceId ClusterBuilder::add_switch(const Device& device) {
  cluster_.devices_.push_back(device);
  return DeviceId(cluster_.devices_.size() - 1);
}

void ClusterBuilder::connect(const Cable& cable) {
  for (int i = 0; i < cable.count; ++i) {
    const LinkId there(cluster_.links_.size());
    const LinkId back(cluster_.links_.size() + 1);
    cluster_.links_.push_back({.from = cable.a,
                               .to = cable.b,
                               .bandwidth = cable.bandwidth,
                               .latency = cable.a_to_b,
                               .kind = cable.kind,
                               .reverse = back,
                               .line_rate = cable.bandwidth});
    cluster_.links_.push_back({.from = cable.b,
                               .to = cable.a,
                               .bandwidth = cable.bandwidth,
                               .latency = cable.b_to_a,
                               .kind = cable.kind,
                               .reverse = there,
                               .line_rate = cable.bandwidth});
  }
}

/// Builds out_links with two stable counting sorts: by destination device, then by source device.
Cluster ClusterBuilder::freeze() && {
  const std::vector<Link>& links = cluster_.links_;
  const std::size_t devices = cluster_.devices_.size();
  const auto counting_sort = [&](const std::vector<LinkId>& in, DeviceId Link::*key,
                                 std::vector<std::uint32_t>& first) {
    first.assign(devices + 1, 0);
    for (const Link& link : links) ++first[(link.*key).index() + 1];
    for (std::size_t i = 0; i < devices; ++i) first[i + 1] += first[i];
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    std::vector<LinkId> out(in.size());
    for (const LinkId id : in) out[next[(links[id.index()].*key).index()]++] = id;
    return out;
  };
  std::vector<LinkId> ids(links.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = LinkId(i);
  const std::vector<LinkId> by_target = counting_sort(ids, &Link::to, cluster_.first_out_);
  cluster_.out_links_ = counting_sort(by_target, &Link::from, cluster_.first_out_);
  return std::move(cluster_);
}

}  // namespace railyard::topology
