#include "collectives/algorithms/hierarchical.hpp"

#include "collectives/algorithms/algorithm_list.hpp"
#include "collectives/algorithms/node_legs.hpp"
#include "collectives/schedule/chunking.hpp"

namespace railyard::collectives {
namespace {

bool supports_hierarchical(Kind kind) {
  return kind == Kind::all_reduce || kind == Kind::all_to_all;
}

/// Positions node by node, each node in the order of its ring.
std::vector<std::uint32_t> places_by_node(const Request& request, std::size_t ring) {
  const Group& group = *request.group;
  std::vector<std::uint32_t> places;
  places.reserve(group.size());
  std::vector<std::vector<std::uint32_t>> rings;
  NodeMembers last;
  for (std::size_t node = 0; node < group.nodes().size(); ++node) {
    const NodeMembers members = members_of(request.cluster, group, node);
    if (members.shape != last.shape || members.gpus != last.gpus) rings = node_rings(members);
    last = members;
    for (const std::uint32_t member : rings[ring % rings.size()])
      places.push_back(members.positions[member]);
  }
  return places;
}

RankOrder transposed(const std::vector<std::uint32_t>& places, std::uint32_t per_node) {
  const auto nodes = static_cast<std::uint32_t>(places.size()) / per_node;
  std::vector<std::uint32_t> rails;
  rails.reserve(places.size());
  for (std::uint32_t local = 0; local < per_node; ++local) {
    for (std::uint32_t node = 0; node < nodes; ++node)
      rails.push_back(places[node * per_node + local]);
  }
  return RankOrder::explicit_list(std::move(rails));
}

Loop loop(std::uint64_t repeat, const RingPattern& pattern) {
  return {.repeat = repeat, .coupling = Coupling::ring, .steps = {{.pattern = pattern}}};
}

/// Piece l of the data belongs to the l-th place of every node, and is divided again over the
/// nodes.
Channel all_reduce(const Request& request, std::size_t ring) {
  const auto nodes = static_cast<std::uint32_t>(request.group->nodes().size());
  const std::uint32_t per_node = request.group->nodes().front().count;
  const std::vector<std::uint32_t> places = places_by_node(request, ring);
  // With offset -1, the rank at local place l ends with piece l.
  RingPattern inside{.order = RankOrder::explicit_list(places),
                     .offset = -1,
                     .ring_size = per_node,
                     .chunks = nodes};
  RingPattern across{
      .order = transposed(places, per_node), .ring_size = nodes, .ring_stride = nodes};
  Channel channel{.chunks_per_block = std::uint64_t{nodes} * per_node, .loops = {}};
  if (per_node > 1) channel.loops.push_back(loop(per_node - 1, inside));
  if (nodes > 1) {
    channel.loops.push_back(loop(nodes - 1, across));
    across.action = Action::copy;
    across.offset = 1;
    channel.loops.push_back(loop(nodes - 1, across));
  }
  inside.action = Action::copy;
  inside.offset = 0;
  if (per_node > 1) channel.loops.push_back(loop(per_node - 1, inside));
  return channel;
}

Schedule build_hierarchical(const Request& request) {
  if (request.group->size() == 1) return nothing_to_do(request, "hierarchical");
  if (request.collective.kind == Kind::all_to_all) return build_hierarchical_all_to_all(request);
  const std::size_t rings = node_rings(members_of(request.cluster, *request.group, 0)).size();
  const std::size_t channels = channel_count(request, rings);
  Schedule::Parts parts = parts_of(request, "hierarchical");
  for (std::size_t channel = 0; channel < channels; ++channel) {
    parts.channels.push_back(all_reduce(request, channel));
  }
  return Schedule(std::move(parts));
}

}  // namespace

Algorithm hierarchical_algorithm() {
  return {.name = "hierarchical",
          .summary = "inside the node first, then between nodes along each local number (rail)",
          .supports = supports_hierarchical,
          .why_not = why_not_equal_sizes,
          .build = build_hierarchical};
}

}  // namespace railyard::collectives
