#include "sim/independent.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <limits>

#include "core/diagnostic.hpp"

namespace railyard::sim {

void Independent::begin(FlowState& state) {
  if (sequence_.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError("", "--gpus",
                     fmt::format("{} transfers at once are more than 2^32 - 1", sequence_.size()),
                     "simulate fewer ranks, or smaller groups");
  }
  begun_ = last_arrival_ = state.fluid.now();
  const auto count = static_cast<std::uint32_t>(sequence_.size());
  alpha_of_.resize(count);
  if (state.ways_may_change) ways_.resize(count);
  state.fluid.reserve(count, 0);
  for (std::uint32_t number = 0; number < count; ++number) start(state, number);
  if (open_ == 0) await_last(state);
}

void Independent::start(FlowState& state, std::uint32_t number) {
  const auto transfer = sequence_[number];
  scratch_.clear();
  state.routes.append(context_.schedule, transfer, context_.label, scratch_);
  const Time alpha = context_.alpha.of(scratch_);
  alpha_of_[number] = number_of(alpha);
  const auto bytes =
      static_cast<double>(context_.schedule.bytes(context_.channel, transfer).count());
  if (bytes == 0) {
    last_arrival_ = std::max(last_arrival_, begun_ + alpha.seconds());
    return;
  }
  weigh(scratch_, state.cluster, context_.wire);
  ++open_;
  const StreamId stream = state.start(
      scratch_, bytes, {.channel = context_.number, .item = number, .task = context_.task});
  if (state.ways_may_change) ways_[number] = {stream, scratch_};
}

std::uint16_t Independent::number_of(Time alpha) {
  const auto found = std::find(alphas_.rbegin(), alphas_.rend(), alpha);
  if (found != alphas_.rend()) return static_cast<std::uint16_t>(alphas_.rend() - found - 1);
  assert(alphas_.size() < std::numeric_limits<std::uint16_t>::max());
  alphas_.push_back(alpha);
  return static_cast<std::uint16_t>(alphas_.size() - 1);
}

void Independent::stream_ends(FlowState& state, std::uint32_t number) {
  const double now = state.fluid.now();
  const Time alpha = alphas_[alpha_of_[number]];
  last_arrival_ = std::max(last_arrival_, now + alpha.seconds());
  if (state.ways_may_change) ways_[number] = {};
  if (state.record_timeline) {
    const auto transfer = sequence_[number];
    state.timeline.push_back({fmt::format("{} / {}", context_.track, transfer.source),
                              describe(number), Time::from_seconds(begun_),
                              Time::from_seconds(now) + alpha,
                              context_.schedule.bytes(context_.channel, transfer)});
  }
  if (--open_ == 0) await_last(state);
}

void Independent::await_last(FlowState& state) {
  state.events.push(
      {.time = last_arrival_, .kind = FlowEvent::Kind::stage_arrives, .channel = context_.number});
}

void Independent::reroute(FlowState& state, std::span<const LinkId> failed) {
  for (std::uint32_t number = 0; number < ways_.size(); ++number) {
    Way& way = ways_[number];
    const bool hit = !way.stream.is_none() &&
                     std::any_of(way.hops.begin(), way.hops.end(), [&](const topology::Hop& hop) {
                       return std::find(failed.begin(), failed.end(), hop.link) != failed.end();
                     });
    if (!hit) continue;
    way.hops.clear();
    state.routes.append(context_.schedule, sequence_[number], context_.label, way.hops);
    alpha_of_[number] = number_of(context_.alpha.of(way.hops));
    weigh(way.hops, state.cluster, context_.wire);
    state.reroute(way.stream, way.hops);
  }
}

std::string Independent::describe(std::uint32_t number) const {
  const auto transfer = sequence_[number];
  return fmt::format("transfer {} -> {}", transfer.source, transfer.destination);
}

}  // namespace railyard::sim
