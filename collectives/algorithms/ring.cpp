#include <utility>

#include "collectives/algorithms/algorithm_list.hpp"
#include "collectives/algorithms/ring_plan.hpp"
#include "collectives/schedule/chunking.hpp"

namespace railyard::collectives {
namespace {

RingPattern turn(const RingPlan& plan, Action action, std::int64_t offset, bool pieces_are_ranks) {
  return {.order = plan.order,
          .offset = offset,
          .action = action,
          .pieces_are_ranks = pieces_are_ranks,
          .via = plan.via};
}

Loop loop(std::uint64_t repeat, const RingPattern& pattern) {
  return {.repeat = repeat, .coupling = Coupling::ring, .steps = {{.pattern = pattern}}};
}

/// n-1 steps that reduce (the rank at place p starts with piece p and ends with the complete piece
/// p+1), then n-1 steps that copy.
Channel all_reduce(const RingPlan& plan) {
  const std::uint32_t n = plan.order.size();
  return {.chunks_per_block = n,
          .loops = {loop(n - 1, turn(plan, Action::reduce, 0, false)),
                    loop(n - 1, turn(plan, Action::copy, 1, false))}};
}

Channel all_gather(const RingPlan& plan) {
  return {.chunks_per_block = 1,
          .loops = {loop(plan.order.size() - 1, turn(plan, Action::copy, 0, true))}};
}

/// Starts one piece earlier than all_reduce, so that the rank at place p ends with its own block.
Channel reduce_scatter(const RingPlan& plan) {
  return {.chunks_per_block = 1,
          .loops = {loop(plan.order.size() - 1, turn(plan, Action::reduce, -1, true))}};
}

/// n-1 hops starting at place `first`, pipelined over the pieces of the data.
Channel chain(const RingPlan& plan, std::uint32_t first, Action action, std::uint64_t pieces) {
  const std::uint32_t n = plan.order.size();
  Loop hops{.repeat = pieces, .coupling = Coupling::pipeline, .steps = {}};
  hops.steps.reserve(n - 1);
  for (std::uint32_t hop = 0; hop + 1 < n; ++hop) {
    hops.steps.push_back(
        {.pattern = HopPattern{
             .order = plan.order, .via = plan.via, .place = (first + hop) % n, .action = action}});
  }
  Channel channel{.chunks_per_block = pieces, .loops = {}};
  // Moved, because an initializer list would copy every step.
  channel.loops.push_back(std::move(hops));
  return channel;
}

std::uint32_t place_of(const RankOrder& order, std::uint32_t position) {
  std::uint32_t place = 0;
  while (order[place] != position) ++place;
  return place;
}

Channel channel_for(const Request& request, const RingPlan& plan, std::uint64_t pieces) {
  const std::uint32_t n = plan.order.size();
  switch (request.collective.kind) {
    case Kind::all_gather: return all_gather(plan);
    case Kind::reduce_scatter: return reduce_scatter(plan);
    case Kind::broadcast:
      return chain(plan, place_of(plan.order, request.collective.root), Action::copy, pieces);
    case Kind::reduce:
      return chain(plan, (place_of(plan.order, request.collective.root) + 1) % n, Action::reduce,
                   pieces);
    default: break;
  }
  return all_reduce(plan);
}

bool supports_ring(Kind kind) {
  return kind == Kind::all_reduce || kind == Kind::all_gather || kind == Kind::reduce_scatter ||
         kind == Kind::broadcast || kind == Kind::reduce;
}

Schedule build_ring(const Request& request) {
  if (request.group->size() == 1) return nothing_to_do(request, "ring");
  const std::vector<RingPlan> plans = plan_rings(request);
  const std::size_t channels = channel_count(request, plans.size());
  const std::uint64_t pieces =
      pipeline_pieces(request, channels, step_payload(request.options.protocol));
  Schedule::Parts parts = parts_of(request, "ring");
  parts.channels.reserve(channels);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    parts.channels.push_back(channel_for(request, plans[channel % plans.size()], pieces));
  }
  return Schedule(std::move(parts));
}

}  // namespace

Algorithm ring_algorithm() {
  return {.name = "ring",
          .summary =
              "every rank passes pieces to the next; each ring crosses a node once (NCCL's Ring)",
          .supports = supports_ring,
          .why_not = why_not_cross_nic,
          .build = build_ring};
}

}  // namespace railyard::collectives
