#include "sim/flow/channel_run.hpp"

#include <fmt/core.h>

#include <cassert>

namespace railyard::sim {

void ChannelRun::enter(FlowState& state) {
  running_ = std::monostate();
  while (next_ < stages_.size()) {
    const Stage& stage = stages_[next_++];
    if (stage.kind == Stage::Kind::steady || stage.kind == Stage::Kind::together) {
      running_.emplace<SteadyStage>(context_, stage).begin(state);
      return;
    }
    if (stage.kind == Stage::Kind::independent) {
      running_.emplace<IndependentStage>(context_, stage).begin(state);
      return;
    }
    auto& expanded = running_.emplace<ReplayedStage>(context_, stage);
    expanded.begin(state);
    if (!expanded.is_done()) return;
    running_ = std::monostate();  // a stage without transfers
  }
}

void ChannelRun::stream_begins(FlowState& state, std::uint32_t item) {
  if (auto* expanded = std::get_if<ReplayedStage>(&running_))
    expanded->stream_begins(state, item);
  else
    std::get<SteadyStage>(running_).stream_begins(state);
}

void ChannelRun::stage_arrives(FlowState& state) {
  std::get<IndependentStage>(running_).arrive();
  enter(state);
}

void ChannelRun::stream_ends(FlowState& state, std::uint32_t item) {
  if (auto* expanded = std::get_if<ReplayedStage>(&running_)) {
    expanded->stream_ends(state, item);
    if (!expanded->is_done()) return;
  } else if (auto* independent = std::get_if<IndependentStage>(&running_)) {
    independent->stream_ends(state, item);
    return;  // the last byte of the stage has not arrived yet
  } else {
    std::get<SteadyStage>(running_).stream_ends(state);
  }
  enter(state);
}

void ChannelRun::reroute(FlowState& state, std::span<const LinkId> failed) {
  if (auto* expanded = std::get_if<ReplayedStage>(&running_)) expanded->reroute(state, failed);
  if (auto* steady = std::get_if<SteadyStage>(&running_)) steady->reroute(state, failed);
  if (auto* independent = std::get_if<IndependentStage>(&running_))
    independent->reroute(state, failed);
}

std::string ChannelRun::describe(std::uint32_t item) const {
  if (const auto* expanded = std::get_if<ReplayedStage>(&running_))
    return fmt::format("{}: {}", context_.track, expanded->describe(item));
  if (const auto* independent = std::get_if<IndependentStage>(&running_))
    return fmt::format("{}: {}", context_.track, independent->describe(item));
  if (const auto* steady = std::get_if<SteadyStage>(&running_))
    return fmt::format("{}: {}", context_.track, steady->describe());
  return context_.track;
}

}  // namespace railyard::sim
