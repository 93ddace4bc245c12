#include <fmt/format.h>

#include "collectives/algorithms/hierarchical.hpp"
#include "collectives/algorithms/node_members.hpp"
#include "collectives/schedule/chunking.hpp"

namespace railyard::collectives {

std::string why_not_equal_sizes(const Request& request) {
  if (has_equal_sizes(*request.group)) return {};
  const auto nodes = request.group->nodes();
  for (const GroupNode& node : nodes) {
    if (node.count == nodes.front().count) continue;
    return fmt::format(
        "needs the same number of ranks on every node; node {} has {}, node {} has {}",
        nodes.front().node.value(), nodes.front().count, node.node.value(), node.count);
  }
  return {};
}

Schedule build_hierarchical_all_to_all(const Request& request) {
  const Group& group = *request.group;
  const auto nodes = static_cast<std::uint32_t>(group.nodes().size());
  const std::uint32_t per_node = group.nodes().front().count;
  const auto positions = group.positions_by_node();
  const GridPattern inside{.order = RankOrder::explicit_list({positions.begin(), positions.end()}),
                           .nodes = nodes,
                           .per_node = per_node,
                           .phase = GridPattern::Phase::exchange_inside};
  GridPattern rails = inside;
  rails.phase = GridPattern::Phase::exchange_rails;
  std::vector<Step> steps;
  if (per_node > 1) steps.push_back({.pattern = inside});
  if (nodes > 1) steps.push_back({.pattern = rails});
  const Channel channel{.chunks_per_block = 1, .loops = {{.repeat = 1, .steps = std::move(steps)}}};
  Schedule::Parts parts = parts_of(request, "hierarchical");
  parts.channels.assign(channel_count(request, 1), channel);
  return Schedule(std::move(parts));
}

}  // namespace railyard::collectives
