#include "collectives/nccl/graph/fused_links.hpp"

#include <algorithm>
#include <set>

namespace railyard::collectives::nccl {
namespace {

using topology::NodeSpec;
using topology::PcieSpec;

/// Number of PCIe lanes between a function's parent and the members below the function. For a
/// switch this is the sum over the functions below it that lead to a member, at most the lanes of
/// the switch itself (0: unknown, no limit).
int lanes_below(const NodeSpec& node, std::span<const NetPlace> members, const NetPlace& place,
                std::size_t depth) {
  const PcieSpec& function = function_at(node, place, depth);
  std::set<std::size_t> below;
  int total = 0;
  for (const NetPlace& member : members) {
    const bool leads =
        member.cpu == place.cpu && member.way.size() > depth &&
        std::ranges::equal(std::span(member.way).first(depth), std::span(place.way).first(depth));
    if (leads && below.insert(member.way[depth]).second)
      total += lanes_below(node, members, member, depth + 1);
  }
  if (total == 0) return function.link_width;
  return function.link_width > 0 ? std::min(function.link_width, total) : total;
}

/// Number of lanes of all members together, below the part of the path that they share.
int lanes_of(const NodeSpec& node, std::span<const NetPlace> members, std::size_t shared) {
  std::set<std::size_t> below;
  int total = 0;
  for (const NetPlace& member : members)
    if (below.insert(member.way[shared]).second)
      total += lanes_below(node, members, member, shared + 1);
  return total;
}

/// Sets the number of lanes. A rate that the file states is scaled with it.
void set_lanes(PcieSpec& function, int lanes) {
  if (function.bandwidth && function.link_width > 0 && lanes > 0)
    function.bandwidth = Bandwidth::bits_per_second(function.bandwidth->bits_per_second() * lanes /
                                                    function.link_width);
  function.link_width = lanes;
}

/// 2.28 widens every link from the members up to the function that they share, and the link of this
/// function.
void widen_all(NodeSpec& node, std::span<const NetPlace> members, std::size_t shared, int lanes) {
  std::set<PcieSpec*> widened;
  const auto widen = [&](const NetPlace& member, std::size_t depth) {
    PcieSpec& function = function_at(node, member, depth);
    if (widened.insert(&function).second) set_lanes(function, lanes);
  };
  for (const NetPlace& member : members)
    for (std::size_t depth = member.way.size(); depth > shared; --depth) widen(member, depth);
  if (shared > 0) widen(members.front(), shared);
}

}  // namespace

void place_virtual_net(NodeSpec& node, std::span<const NetPlace> members, topology::NetSpec net,
                       Version version) {
  const NetPlace& first = members.front();
  const auto [type, shared] = distance_between(node, members);
  if (shared == first.way.size()) {
    function_at(node, first, shared).nets.push_back(std::move(net));
    return;
  }
  const bool one_card = type == PathType::nvl;
  const int lanes = one_card ? 0 : lanes_of(node, members, shared);
  if (!one_card && version == Version::v2_28) widen_all(node, members, shared, lanes);
  PcieSpec card = function_at(node, first, first.way.size());
  card.nets = {std::move(net)};
  card.busid.clear();
  if (!one_card && lanes > 0) {
    if (version != Version::v2_28) {
      set_lanes(card, lanes);
      if (shared > 0) set_lanes(function_at(node, first, shared), lanes);
    }
  }
  auto& siblings =
      shared > 0 ? function_at(node, first, shared).children : node.cpus[first.cpu].pcie;
  siblings.push_back(std::move(card));
}

}  // namespace railyard::collectives::nccl
