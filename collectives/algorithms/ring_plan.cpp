#include "collectives/algorithms/ring_plan.hpp"

#include <fmt/format.h>

#include <utility>

#include "collectives/algorithms/group_legs.hpp"

namespace railyard::collectives {
namespace {

Crossing chosen_crossing(const Request& request) {
  const auto& wanted = request.options.cross_nic;
  if (wanted) return *wanted == 0 ? Crossing::straight : Crossing::paired;
  const std::size_t nodes = request.group->nodes().size();
  const std::size_t looked_at = has_equal_nodes(request.cluster, *request.group) ? 1 : nodes;
  for (std::size_t node = 0; node < looked_at; ++node) {
    if (crossing_for(members_of(request.cluster, *request.group, node)) == Crossing::straight) {
      return Crossing::straight;
    }
  }
  return Crossing::paired;
}

Participant relay_of(const NodeLeg& leg) { return leg.relay.value_or(kNoParticipant); }

HopVia hop(const NodeLeg& from, const NodeLeg& to, Participant relay) {
  return {.relay = relay,
          .source_nic = static_cast<std::int8_t>(from.out_nic),
          .destination_nic = static_cast<std::int8_t>(to.in_nic)};
}

std::vector<RingPlan> plan_equal(const Request& request) {
  const Group& group = *request.group;
  const Crossing crossing = chosen_crossing(request);
  const auto blocks = static_cast<std::uint32_t>(group.nodes().size());
  std::vector<RingPlan> plans;
  for (const NodeLeg& even : node_legs(members_of(request.cluster, group, 0), crossing)) {
    const NodeLeg odd = odd_leg(even, crossing);
    const NodeLeg& last = blocks % 2 == 0 ? odd : even;
    const RingVia::Regular regular{.block = static_cast<std::uint32_t>(even.order.size()),
                                   .blocks = blocks,
                                   .from_even = hop(even, odd, relay_of(even)),
                                   .from_odd = hop(odd, even, relay_of(odd)),
                                   .closing = hop(last, even, relay_of(last))};
    plans.push_back({.order = RankOrder::blocks(blocks, even.order, odd.order),
                     .via = std::make_shared<const RingVia>(regular)});
  }
  return plans;
}

RingPlan write_out(const Group& group, const GroupLegs& legs, std::size_t channel,
                   Crossing crossing) {
  const std::size_t nodes = group.nodes().size();
  const auto leg_of = [&](std::size_t node) {
    const NodeLeg& even = legs[node][channel];
    return node % 2 == 0 ? even : odd_leg(even, crossing);
  };
  std::vector<std::uint32_t> order;
  std::vector<HopVia> vias;
  order.reserve(group.size());
  vias.reserve(group.size());
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto positions = group.members(group.nodes()[i]);
    const NodeLeg leg = leg_of(i);
    for (const std::uint32_t member : leg.order) order.push_back(positions[member]);
    const Participant relay = leg.relay ? positions[*leg.relay] : kNoParticipant;
    vias.resize(order.size() - 1);
    vias.push_back(hop(leg, leg_of((i + 1) % nodes), relay));
  }
  return {.order = RankOrder::explicit_list(std::move(order)),
          .via = std::make_shared<const RingVia>(std::move(vias))};
}

std::vector<RingPlan> plan_on_one_node(const Request& request) {
  const NodeMembers members = members_of(request.cluster, *request.group, 0);
  std::vector<RingPlan> plans;
  for (std::vector<std::uint32_t>& order : node_rings(members)) {
    plans.push_back({.order = RankOrder::explicit_list(std::move(order)), .via = nullptr});
  }
  return plans;
}

}  // namespace

std::vector<RingPlan> plan_rings(const Request& request) {
  const Group& group = *request.group;
  if (group.nodes().size() == 1) return plan_on_one_node(request);
  if (has_equal_nodes(request.cluster, group)) return plan_equal(request);
  const Crossing crossing = chosen_crossing(request);
  const GroupLegs legs(request.cluster, group, crossing);
  std::vector<RingPlan> plans;
  for (std::size_t channel = 0; channel < legs.channels(); ++channel) {
    plans.push_back(write_out(group, legs, channel, crossing));
  }
  return plans;
}

std::string why_not_cross_nic(const Request& request) {
  const auto& wanted = request.options.cross_nic;
  if (!wanted || *wanted == 0) return {};
  if (*wanted != 2) return fmt::format("cross_nic {} is neither 0 nor 2", *wanted);
  const Group& group = *request.group;
  for (std::size_t i = 0; i < group.nodes().size() && group.nodes().size() > 1; ++i) {
    const NodeMembers members = members_of(request.cluster, group, i);
    if (can_pair(members)) continue;
    return fmt::format(
        "cross_nic 2 needs an even number of NICs with a GPU of the group each; node {} has {} "
        "NICs in use",
        group.nodes()[i].node.value(), nics_of(members).size());
  }
  return {};
}

}  // namespace railyard::collectives
