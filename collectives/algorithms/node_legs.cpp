#include "collectives/algorithms/node_legs.hpp"

#include <algorithm>
#include <numeric>

#include "collectives/algorithms/ring_search.hpp"

namespace railyard::collectives {
namespace {

using Order = std::vector<std::uint32_t>;

void append_gpus(const std::vector<topology::PcieSpec>& functions, std::vector<int>& gpus) {
  for (const topology::PcieSpec& function : functions) {
    if (function.gpu) gpus.push_back(*function.gpu);
    append_gpus(function.children, gpus);
  }
}

/// Members ordered by socket, and within a socket by PCIe switch, so that a ring crosses each
/// socket link as few times as possible.
Order pcie_order(const NodeMembers& members) {
  std::vector<int> in_tree;
  for (const topology::CpuSpec& cpu : members.shape->spec().cpus) append_gpus(cpu.pcie, in_tree);
  // A GPU's index in the shape is the rank of its number among all numbers.
  std::vector<int> numbers = in_tree;
  std::sort(numbers.begin(), numbers.end());
  Order order(members.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto place = [&](std::uint32_t member) {
    const int number = numbers[static_cast<std::size_t>(members.gpus[member])];
    return std::find(in_tree.begin(), in_tree.end(), number) - in_tree.begin();
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return place(a) < place(b); });
  return order;
}

/// Through an NVSwitch every order is equally good. This is NCCL's order on DGX H100: 0 7 6 5 4 3 2
/// 1.
Order descending_order(const NodeMembers& members) {
  Order order(members.size());
  std::iota(order.rbegin(), order.rend(), 0U);
  return order;
}

/// Rotates the order to start at `first` and moves `last` (if set) to the end.
Order with_ends(Order order, const PathEnds& ends) {
  std::rotate(order.begin(), std::find(order.begin(), order.end(), ends.first), order.end());
  if (ends.last && *ends.last != ends.first) {
    order.erase(std::find(order.begin(), order.end(), *ends.last));
    order.push_back(*ends.last);
  }
  return order;
}

/// Paths through the members with the given ends; link-disjoint as far as the search finds such
/// paths.
std::vector<Order> paths_between(const NodeMembers& members, const std::vector<PathEnds>& ends) {
  std::vector<Order> paths;
  if (!has_nvswitch(members) && members.size() > 2)
    paths = search_paths(LinkCounts::nvlinks(members), ends);
  const Order plain = has_nvswitch(members) ? descending_order(members) : pcie_order(members);
  for (std::size_t i = paths.size(); i < ends.size(); ++i) {
    // Not disjoint from the other paths, but over NVLinks if such a path exists.
    const auto alone = search_paths(LinkCounts::nvlinks(members), std::span(&ends[i], 1));
    paths.push_back(alone.empty() ? with_ends(plain, ends[i]) : alone.front());
  }
  return paths;
}

PathEnds straight_ends(const NodeMembers& members, int nic) {
  const std::uint32_t head = head_of_nic(members, nic);
  for (const std::uint32_t other : near_nic(members, nic)) {
    if (other != head) return {.first = head, .last = other};
  }
  return {.first = head, .last = {}};
}

/// The relay for PXN, which needs NVLink from the last GPU to the GPU that sends (NCCL 2.30,
/// paths.cc).
std::optional<std::uint32_t> relay_for(const NodeMembers& members, const Order& order,
                                       const PathEnds& ends) {
  if (ends.last || order.size() < 2) return std::nullopt;
  const topology::NodePath path =
      members.shape->gpu_to_gpu(members.gpus[order.back()], members.gpus[ends.first]);
  if (path.type > topology::PathType::nvl) return std::nullopt;
  return ends.first;
}

}  // namespace

bool can_pair(const NodeMembers& members) {
  const std::vector<int> nics = nics_of(members);
  if (nics.empty() || nics.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < nics.size(); i += 2) {
    if (head_of_nic(members, nics[i]) == head_of_nic(members, nics[i + 1])) return false;
  }
  return true;
}

Crossing crossing_for(const NodeMembers& members) {
  const std::vector<int> nics = nics_of(members);
  const bool shared = std::any_of(nics.begin(), nics.end(),
                                  [&](int nic) { return near_nic(members, nic).size() > 1; });
  return !shared && can_pair(members) ? Crossing::paired : Crossing::straight;
}

std::vector<NodeLeg> node_legs(const NodeMembers& members, Crossing crossing) {
  const std::vector<int> nics = nics_of(members);
  if (nics.empty()) return {{.order = node_rings(members).front(), .relay = {}}};
  const bool paired = crossing == Crossing::paired;
  std::vector<PathEnds> ends;
  for (std::size_t i = 0; i < nics.size(); i += paired ? 2 : 1) {
    ends.push_back(paired ? PathEnds{.first = head_of_nic(members, nics[i]),
                                     .last = head_of_nic(members, nics[i + 1])}
                          : straight_ends(members, nics[i]));
  }
  std::vector<Order> paths = paths_between(members, ends);
  std::vector<NodeLeg> legs;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const int in = nics[paired ? 2 * i : i];
    const int out = nics[paired ? 2 * i + 1 : i];
    const auto relay = relay_for(members, paths[i], ends[i]);
    legs.push_back({.order = std::move(paths[i]), .in_nic = in, .out_nic = out, .relay = relay});
    if (paired) legs.push_back(odd_leg(legs.back(), crossing));
  }
  return legs;
}

NodeLeg odd_leg(const NodeLeg& even, Crossing crossing) {
  if (crossing == Crossing::straight) return even;
  NodeLeg odd{.order = even.order, .in_nic = even.out_nic, .out_nic = even.in_nic, .relay = {}};
  std::reverse(odd.order.begin(), odd.order.end());
  return odd;
}

std::vector<Order> node_rings(const NodeMembers& members) {
  if (has_nvswitch(members)) {
    Order order(members.size());
    std::iota(order.begin(), order.end(), 0U);
    return {order};
  }
  std::vector<Order> rings = search_rings(LinkCounts::nvlinks(members));
  if (rings.empty()) rings.push_back(pcie_order(members));
  return rings;
}

}  // namespace railyard::collectives
