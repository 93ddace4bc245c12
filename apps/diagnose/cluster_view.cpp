#include "apps/diagnose/cluster_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "collectives/formats/measured_table.hpp"
#include "collectives/nccl/timing/fit/table_predictions.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

/// The switch to which a NIC is connected; empty if it has no cable.
std::optional<DeviceId> leaf_of(const topology::Cluster& cluster, DeviceId nic) {
  for (const LinkId link : cluster.out_links(nic))
    if (topology::is_fabric_switch(cluster.device(cluster.link(link).to).kind))
      return cluster.link(link).to;
  return std::nullopt;
}

void add_nics(const topology::Cluster& cluster, std::size_t places, hw::ClusterView& view) {
  std::map<int, hw::PlaceSet> by_nic;
  for (std::size_t p = 0; p < places; ++p)
    by_nic[cluster.shape(NodeId(0)).nearest_nic(static_cast<int>(p))] |= hw::PlaceSet{1} << p;
  for (const auto& [nic, set] : by_nic)
    view.groups.push_back({.name = fmt::format("NIC {}", nic), .places = set});
}

void add_leaves(const topology::Cluster& cluster, std::size_t nodes, std::size_t places,
                hw::ClusterView& view) {
  std::map<std::size_t, hw::LeafGroup> leaves;
  for (std::size_t n = 0; n < nodes; ++n) {
    const NodeId node(static_cast<std::uint32_t>(n));
    for (std::size_t p = 0; p < places; ++p) {
      const int nic = cluster.shape(node).nearest_nic(static_cast<int>(p));
      const auto leaf = leaf_of(cluster, cluster.nic(node, nic));
      if (!leaf) continue;
      hw::LeafGroup& group =
          leaves
              .try_emplace(leaf->index(), hw::LeafGroup{.name = cluster.name(*leaf),
                                                        .nodes = std::vector<bool>(nodes),
                                                        .places = 0})
              .first->second;
      group.nodes[n] = true;
      group.places |= hw::PlaceSet{1} << p;
    }
  }
  const hw::PlaceSet all = places == 64 ? hw::kEveryPlace : (hw::PlaceSet{1} << places) - 1;
  for (auto& [leaf, group] : leaves) {
    if (group.places == all) group.places = hw::kEveryPlace;
    view.leaves.push_back(std::move(group));
  }
}

}  // namespace

hw::ClusterView cluster_view(const topology::Cluster& cluster,
                             const std::vector<std::string>& nodes,
                             const std::vector<std::string>& places) {
  const auto gpus = static_cast<std::size_t>(cluster.shape(NodeId(0)).gpu_count());
  if (nodes.size() > cluster.node_count())
    throw InputError(
        "", "--cluster",
        fmt::format("has {} nodes, the tests have {}", cluster.node_count(), nodes.size()),
        fmt::format("--nodes {}", nodes.size()));
  if (places.size() > gpus)
    throw InputError("", "--cluster",
                     fmt::format("has {} GPUs per node, but the tests name GPUs on {} PCI buses",
                                 gpus, places.size()),
                     "the cluster that the tests ran on");
  hw::ClusterView view;
  // With fewer places than GPUs it is unknown which GPU a place means.
  if (places.size() != gpus) {
    view.groups = hw::assumed_groups(places);
    return view;
  }
  view.is_known = true;
  add_nics(cluster, places.size(), view);
  add_leaves(cluster, nodes.size(), places.size(), view);
  return view;
}

std::vector<std::optional<Time>> expected_times(const std::string& cluster,
                                                std::span<const hw::ExpectedTest> tests) {
  collectives::MeasuredTable table{.name = "tests"};
  for (const hw::ExpectedTest& test : tests)
    if (const auto kind = collectives::collective_named(test.collective))
      table.rows.push_back({.collective = {.kind = *kind, .bytes = test.bytes},
                            .ranks = 2 * test.gpus_per_node,
                            .nodes = 2,
                            .time_us = 1});
  const auto predictions =
      collectives::nccl::predict_tables({table}, {.map = {}, .cluster = cluster, .harness = {}});
  std::vector<std::optional<Time>> times;
  for (const hw::ExpectedTest& test : tests) {
    const auto row = std::ranges::find_if(predictions.rows, [&](const auto& predicted) {
      const collectives::MeasuredRow& measured = predicted.measured;
      return measured.ranks == 2 * test.gpus_per_node && measured.collective.bytes == test.bytes &&
             collectives::collective_named(test.collective) == measured.collective.kind;
    });
    times.emplace_back();
    if (row != predictions.rows.end())
      times.back() = Time::from_seconds(row->predicted_us() * 1e-6);
  }
  return times;
}

}  // namespace railyard::apps
