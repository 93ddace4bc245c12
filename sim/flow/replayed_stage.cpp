#include "sim/flow/replayed_stage.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <limits>

namespace railyard::sim {
namespace {

std::uint64_t key_of(const collectives::Transfer& transfer) {
  return static_cast<std::uint64_t>(transfer.source) << 32 | transfer.destination;
}

}  // namespace

ReplayedStage::ReplayedStage(const ChannelContext& context, const Stage& stage)
    : context_(context),
      replay_(stage.loops, context.schedule.participants()),
      most_(context.pace ? context.pace->rate(paced_bytes(context.schedule, context.channel, stage))
                         : std::numeric_limits<double>::infinity()) {}

ReplayedStage::Connection& ReplayedStage::connection_of(const collectives::Transfer& transfer) {
  return connections_[key_of(transfer)];
}

void ReplayedStage::begin(FlowState& state) {
  replay_.start(ready_);
  plan(state);
}

void ReplayedStage::plan(FlowState& state) {
  for (const auto number : ready_) {
    scratch_.clear();
    state.routes.append(context_.schedule, replay_.transfer(number), context_.label, scratch_);
    state.events.push({.time = state.fluid.now() + context_.alpha.of(scratch_).seconds(),
                       .kind = FlowEvent::Kind::stream_begins,
                       .channel = context_.number,
                       .item = number});
  }
  ready_.clear();
}

void ReplayedStage::stream_begins(FlowState& state, Replay::Number number) {
  auto& connection = connection_of(replay_.transfer(number));
  if (!connection.busy) {
    flow(state, connection, number);
    return;
  }
  connection.waiting.push_back(number);
  std::push_heap(connection.waiting.begin(), connection.waiting.end(), std::greater<>());
}

void ReplayedStage::flow(FlowState& state, Connection& connection, Replay::Number number) {
  const auto transfer = replay_.transfer(number);
  scratch_.clear();
  state.routes.append(context_.schedule, transfer, context_.label, scratch_);
  weigh(scratch_, state.cluster, context_.wire);
  const auto bytes =
      static_cast<double>(context_.schedule.bytes(context_.channel, transfer).count());
  connection.busy = true;
  connection.flowing.number = number;
  connection.flowing.since = state.fluid.now();
  connection.flowing.stream = state.start(
      scratch_, bytes, {.channel = context_.number, .item = number, .task = context_.task}, most_);
  if (state.paths_may_change) {
    connection.flowing.hops = scratch_;
    flowing_.insert(key_of(transfer));
  }
}

void ReplayedStage::stream_ends(FlowState& state, Replay::Number number) {
  const auto transfer = replay_.transfer(number);
  auto& connection = connection_of(transfer);
  if (state.record_timeline)
    state.timeline.push_back({fmt::format("{} / {}", context_.track, transfer.source),
                              describe(number), Time::from_seconds(connection.flowing.since),
                              Time::from_seconds(state.fluid.now()),
                              context_.schedule.bytes(context_.channel, transfer)});
  connection.busy = false;
  if (state.paths_may_change) flowing_.erase(key_of(transfer));
  replay_.complete(number, ready_);
  plan(state);
  if (connection.waiting.empty()) return;
  std::pop_heap(connection.waiting.begin(), connection.waiting.end(), std::greater<>());
  const auto next = connection.waiting.back();
  connection.waiting.pop_back();
  flow(state, connection, next);
}

void ReplayedStage::reroute(FlowState& state, std::span<const LinkId> failed) {
  for (const auto key : flowing_) {
    auto& flowing = connections_.at(key).flowing;
    const bool hit =
        std::any_of(flowing.hops.begin(), flowing.hops.end(), [&](const topology::Hop& hop) {
          return std::find(failed.begin(), failed.end(), hop.link) != failed.end();
        });
    if (!hit) continue;
    scratch_.clear();
    state.routes.append(context_.schedule, replay_.transfer(flowing.number), context_.label,
                        scratch_);
    weigh(scratch_, state.cluster, context_.wire);
    flowing.hops = scratch_;
    state.reroute(flowing.stream, flowing.hops);
  }
}

std::string ReplayedStage::describe(Replay::Number number) const {
  const auto transfer = replay_.transfer(number);
  return fmt::format("transfer {} -> {}", transfer.source, transfer.destination);
}

}  // namespace railyard::sim
