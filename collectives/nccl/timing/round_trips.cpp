#include "collectives/nccl/timing/round_trips.hpp"

#include <algorithm>
#include <vector>

#include "collectives/algorithms/double_binary_tree.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives::nccl {
namespace {

/// Latencies of paths between nodes of a group. Both ends are GPUs with the same number in their
/// node, so that they stay on a rail.
class PathLatencies {
 public:
  PathLatencies(const topology::Cluster& cluster, topology::Router& router, const Group& group)
      : cluster_(cluster), group_(group), router_(router) {}

  /// The latency in us from one node to another (positions among the group's nodes); 0 without a
  /// path.
  double between(std::size_t from, std::size_t to) {
    hops_.clear();
    try {
      router_.route({.source = gpu(from), .destination = gpu(to)}, hops_);
    } catch (const InputError&) {  // the simulation reports it
      return 0;
    }
    double sum = 0;
    for (const topology::Hop& hop : hops_)
      sum += hop.share * cluster_.link(hop.link).latency.microseconds();
    return sum;
  }

 private:
  DeviceId gpu(std::size_t position) const {
    const GroupNode& node = group_.nodes()[position];
    const int wanted = cluster_.local_gpu(group_.rank(group_.members(group_.nodes().front())[0]));
    const auto members = group_.members(node);
    const auto found = std::ranges::find_if(members, [&](std::uint32_t member) {
      return cluster_.local_gpu(group_.rank(member)) == wanted;
    });
    return cluster_.gpu(group_.rank(found == members.end() ? members[0] : *found));
  }

  const topology::Cluster& cluster_;
  const Group& group_;
  topology::Router& router_;
  std::vector<topology::Hop> hops_;
};

/// The largest detour from a node up to the root; `usual` is the one-way latency that a hop time
/// includes.
double tree_detour(PathLatencies& paths, std::uint32_t nodes, bool second, double usual) {
  const NodeTree tree = binary_tree(nodes, second);
  std::vector<std::uint32_t> order(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::uint32_t node) { return tree.level[node]; });
  std::vector<double> up(nodes, 0);
  double most = 0;
  for (const std::uint32_t node : order) {
    const std::uint32_t parent = tree.parent[node];
    if (parent == NodeTree::kRoot) continue;
    up[node] = up[parent] + std::max(0.0, paths.between(node, parent) - usual);
    most = std::max(most, up[node]);
  }
  return most;
}

/// Whether paths between nodes may differ by more than the number of tiers that they cross.
bool has_long_cables(const topology::FabricSpec& fabric) {
  return std::ranges::any_of(fabric.cables,
                             [](const topology::CableSpec& c) { return c.latency > Time(); });
}

}  // namespace

RoundTrips round_trips(const topology::Cluster& cluster, topology::Router& router,
                       const Group& group, Time usual) {
  const std::size_t nodes = group.nodes().size();
  if (nodes < 2) return {};
  PathLatencies paths(cluster, router, group);
  const double held = usual.microseconds() / 2;
  // In generated fabrics no node is more tiers away from the first node than the last one.
  double longest = paths.between(0, nodes - 1);
  if (longest <= held && !has_long_cables(cluster.spec().fabric)) return {.longest = 2 * longest};
  RoundTrips found;
  for (std::size_t i = 0; i < nodes; ++i) {
    const double path = paths.between(i, (i + 1) % nodes);
    longest = std::max(longest, path);
    found.ring_detour += std::max(0.0, path - held);
  }
  found.longest = 2 * longest;
  found.longest_detour = std::max(0.0, longest - held);
  const auto count = static_cast<std::uint32_t>(nodes);
  found.tree_detour =
      std::max(tree_detour(paths, count, false, held), tree_detour(paths, count, true, held));
  return found;
}

}  // namespace railyard::collectives::nccl
