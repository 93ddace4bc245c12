#include "collectives/nccl/graph/net_places.hpp"

#include <algorithm>

namespace railyard::collectives::nccl {
namespace {

using topology::NodeSpec;
using topology::PcieSpec;

void collect(const std::vector<PcieSpec>& functions, NetPlace& here, std::vector<NetPlace>& found) {
  for (std::size_t i = 0; i < functions.size(); ++i) {
    here.way.push_back(i);
    for (here.net = 0; here.net < functions[i].nets.size(); ++here.net) found.push_back(here);
    collect(functions[i].children, here, found);
    here.way.pop_back();
  }
}

/// The function at a depth of a net's path. A template, for const and non-const nodes.
template <class Node>
auto& step_down(Node& node, const NetPlace& place, std::size_t depth) {
  auto* functions = &node.cpus[place.cpu].pcie;
  for (std::size_t i = 0; i + 1 < depth; ++i) functions = &(*functions)[place.way[i]].children;
  return (*functions)[place.way[depth - 1]];
}

/// Whether two bus ids belong to functions of one device. An empty id matches no other.
bool is_one_card(const std::string& a, const std::string& b) {
  return !a.empty() && a.size() == b.size() && a.compare(0, a.size() - 1, b, 0, b.size() - 1) == 0;
}

}  // namespace

std::vector<NetPlace> net_places(const NodeSpec& node) {
  std::vector<NetPlace> found;
  for (std::size_t cpu = 0; cpu < node.cpus.size(); ++cpu) {
    NetPlace here{.cpu = cpu, .way = {}};
    collect(node.cpus[cpu].pcie, here, found);
  }
  std::ranges::stable_sort(found, {}, [&](const NetPlace& p) { return net_at(node, p).dev; });
  return found;
}

PcieSpec& function_at(NodeSpec& node, const NetPlace& place, std::size_t depth) {
  return step_down(node, place, depth);
}

const PcieSpec& function_at(const NodeSpec& node, const NetPlace& place, std::size_t depth) {
  return step_down(node, place, depth);
}

const topology::NetSpec& net_at(const NodeSpec& node, const NetPlace& place) {
  return function_at(node, place, place.way.size()).nets[place.net];
}

NetDistance distance_between(const NodeSpec& node, std::span<const NetPlace> nets) {
  const NetPlace& first = nets.front();
  for (const NetPlace& other : nets) {
    const bool same_host = node.cpus[other.cpu].host_hash == node.cpus[first.cpu].host_hash;
    if (!same_host) return {.type = PathType::dis};
  }
  for (const NetPlace& other : nets)
    if (other.cpu != first.cpu) return {.type = PathType::sys};
  const auto all = [&](auto holds) { return std::ranges::all_of(nets.subspan(1), holds); };
  std::size_t shared = 0;
  while (shared < first.way.size() && all([&](const NetPlace& other) {
           return shared < other.way.size() && other.way[shared] == first.way[shared];
         }))
    ++shared;
  if (shared == first.way.size()) return {.type = PathType::nvl, .depth = shared};
  const std::string& busid = function_at(node, first, shared + 1).busid;
  if (all([&](const NetPlace& other) {
        return is_one_card(busid, function_at(node, other, shared + 1).busid);
      }))
    return {.type = PathType::nvl, .depth = shared};
  if (shared == 0) return {.type = PathType::phb};
  const bool right_below = first.way.size() == shared + 1 &&
                           all([&](const NetPlace& o) { return o.way.size() == shared + 1; });
  return {.type = right_below ? PathType::pix : PathType::pxb, .depth = shared};
}

}  // namespace railyard::collectives::nccl
