#include <bit>
#include <numeric>

#include "collectives/algorithms/algorithm_list.hpp"
#include "collectives/schedule/chunking.hpp"

namespace railyard::collectives {
namespace {

/// NCCL_P2P_SCHEDULE_GROUP_SIZE (NCCL 2.30; docs/models/collectives.md).
constexpr std::uint32_t kGroupSize = 8;

bool supports_all_to_all(Kind kind) { return kind == Kind::all_to_all; }

/// The number of ranks per scheduling group: all ranks on a single node, else the greatest common
/// divisor of 8 and the member counts of all nodes.
std::uint32_t schedule_group_size(const Group& group) {
  if (group.nodes().size() == 1) return group.size();
  std::uint32_t size = kGroupSize;
  for (const GroupNode& node : group.nodes()) size = std::gcd(size, node.count);
  return size;
}

/// The order in which a rank visits the groups, as distances: k(k+1)/2 modulo the next power of
/// two, without values that are not below the number of groups.
std::vector<std::uint32_t> group_deltas(std::uint32_t groups) {
  const std::uint32_t modulus = std::bit_ceil(groups);
  std::vector<std::uint32_t> deltas;
  deltas.reserve(groups);
  std::uint32_t delta = 0;
  for (std::uint32_t k = 0; k < modulus; ++k) {
    delta = (delta + k) & (modulus - 1);
    if (delta < groups) deltas.push_back(delta);
  }
  return deltas;
}

/// Ranks node by node, which is how NCCL numbers ranks for this schedule.
RankOrder node_order(const Group& group) {
  const auto positions = group.positions_by_node();
  for (std::uint32_t place = 0; place < group.size(); ++place) {
    if (positions[place] != place)
      return RankOrder::explicit_list({positions.begin(), positions.end()});
  }
  return RankOrder::identity(group.size());
}

Schedule pairwise(const Request& request, std::string_view name,
                  std::shared_ptr<const PairVia> via) {
  const Group& group = *request.group;
  if (group.size() == 1) return nothing_to_do(request, name);
  const std::uint32_t group_size = schedule_group_size(group);
  const PairPattern rounds{.order = node_order(group),
                           .group_size = group_size,
                           .first_round = 1,
                           .rounds = group.size() - 1,
                           .group_deltas = std::make_shared<const std::vector<std::uint32_t>>(
                               group_deltas(group.size() / group_size)),
                           .via = std::move(via)};
  const Channel channel{
      .chunks_per_block = 1,
      .loops = {{.repeat = 1, .coupling = Coupling::independent, .steps = {{.pattern = rounds}}}}};
  Schedule::Parts parts = parts_of(request, name);
  parts.channels.assign(channel_count(request, 1), channel);
  return Schedule(std::move(parts));
}

std::shared_ptr<const PairVia> via(const Request& request, PairRule rule) {
  return std::make_shared<const PairVia>(request.cluster, *request.group, rule);
}

std::string always(const Request&) { return {}; }

}  // namespace

Algorithm direct_algorithm() {
  return {.name = "direct",
          .summary =
              "pairwise, from nearest NIC to nearest NIC: traffic between rails crosses the spine",
          .supports = supports_all_to_all,
          .why_not = always,
          .build = [](const Request& request) { return pairwise(request, "direct", nullptr); }};
}

Algorithm rail_pxn_algorithm() {
  return {.name = "rail_pxn",
          .summary =
              "pairwise with PXN: a GPU on the peer's rail relays, all traffic stays on rails "
              "(NCCL's default)",
          .supports = supports_all_to_all,
          .why_not = always,
          .build = [](const Request& request) {
            return pairwise(request, "rail_pxn", via(request, PairRule::relay));
          }};
}

Algorithm rail_direct_algorithm() {
  return {
      .name = "rail_direct",
      .summary =
          "pairwise, PXN off and CROSS_NIC=0: the sender itself drives the NIC on the peer's rail",
      .supports = supports_all_to_all,
      .why_not = always,
      .build = [](const Request& request) {
        return pairwise(request, "rail_direct", via(request, PairRule::direct));
      }};
}

}  // namespace railyard::collectives
