#include "sim/flow/steady_stage.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "sim/flow/transfer_loads.hpp"

namespace railyard::sim {

void SteadyStage::solve_together(FlowState& state) {
  const TransferLoads& loads = *context_.loads;
  steady_.bytes = static_cast<double>(loads.bytes.count());
  for (std::size_t i = 0; i < loads.crossings.size(); ++i)
    if (loads.crossings[i] > 0) steady_.hops.push_back({LinkId(i), loads.crossings[i]});
  weigh(steady_.hops, state.cluster, context_.wire);
  if (context_.pace) {
    latency_.alpha = context_.pace->latency;
    return;
  }
  constexpr std::uint64_t kTried = 4096;
  const auto& step = stage_.loops.front().steps.front();
  std::vector<topology::Hop> hops;
  for (std::uint64_t i = 0; i < step.size(); i += step.size() / kTried | 1) {
    hops.clear();
    state.routes.append(context_.schedule, step.at(i, 0), context_.label, hops);
    latency_.alpha = std::max(latency_.alpha, context_.alpha.of(hops));
  }
}

RoutedBody SteadyStage::solve(FlowState& state) {
  auto routed =
      route_body(context_.schedule, context_.channel, stage_, context_.label, state.routes);
  const PathCosts costs{state.cluster, context_.alpha, context_.wire, state.capacities};
  steady_ = steady_stream(routed, state.cluster, context_.wire, state.sums);
  if (context_.pace)
    latency_ = {.alpha = context_.pace->latency, .fill = Time()};
  else
    latency_ = stage_latency(stage_, routed, costs, state.sums);
  return routed;
}

void SteadyStage::note_demands(FlowState& state, const RoutedBody& routed) const {
  const auto& transfers = routed.body.transfers;
  for (std::size_t i = 0; i < transfers.size(); ++i)
    state.note_demand(context_, transfers[i].transfer, routed.route(i),
                      context_.pace->rate(transfers[i].bytes));
}

void SteadyStage::begin(FlowState& state) {
  if (stage_.kind == Stage::Kind::together) {
    solve_together(state);
    if (context_.pace)
      for (const auto& leg : context_.loads->legs)
        state.note_demand(context_, leg.transfer, leg.hops,
                          leg.count * context_.pace->rate(steady_.bytes));
  } else {
    const RoutedBody routed = solve(state);
    if (context_.pace) note_demands(state, routed);
  }
  begun_ = state.fluid.now();
  state.events.push({.time = begun_ + latency_.total().seconds(),
                     .kind = FlowEvent::Kind::stream_begins,
                     .channel = context_.number});
}

void SteadyStage::stream_begins(FlowState& state) {
  flowing_ = state.fluid.now();
  const FlowState::Owner owner{.channel = context_.number, .task = context_.task};
  if (context_.pace) {
    state.raise_capacities(context_.task);
    stream_ = state.start(steady_.hops, steady_.bytes, owner, context_.pace->rate(steady_.bytes));
  } else {
    stream_ = state.start(steady_.hops, steady_.bytes, owner);
  }
  if (!state.paths_may_change) steady_.hops = {};
}

void SteadyStage::stream_ends(FlowState& state) {
  stream_ = StreamId::none();
  if (!state.record_timeline) return;
  const auto at = [](double seconds) { return Time::from_seconds(seconds); };
  if (flowing_ > begun_)
    state.timeline.push_back({context_.track, "latency", at(begun_), at(flowing_), Bytes(0)});
  state.timeline.push_back({context_.track, describe(), at(flowing_), at(state.fluid.now()),
                            Bytes(static_cast<std::int64_t>(steady_.bytes))});
}

void SteadyStage::reroute(FlowState& state, std::span<const LinkId> failed) {
  const bool hit =
      std::any_of(steady_.hops.begin(), steady_.hops.end(), [&](const topology::Hop& hop) {
        return std::find(failed.begin(), failed.end(), hop.link) != failed.end();
      });
  if (!hit) return;
  (void)solve(state);
  if (!stream_.is_none()) state.reroute(stream_, steady_.hops);
}

std::string SteadyStage::describe() const {
  if (stage_.kind == Stage::Kind::together)
    return fmt::format("{} equal transfers", context_.loads->transfers);
  std::uint64_t repeat = 0, transfers = 0;
  for (const auto& loop : stage_.loops) repeat += loop.repeat;
  for (const auto& step : stage_.loops.front().steps) transfers += step.size();
  const bool ring = stage_.loops.front().coupling == collectives::Coupling::ring;
  return fmt::format("{} of {} transfers, {} times", ring ? "ring" : "pipeline", transfers, repeat);
}

}  // namespace railyard::sim
