#include "sim/flow/stage.hpp"

#include <cstddef>

namespace railyard::sim {
namespace {

using collectives::Loop;
using collectives::Step;
using collectives::Transfer;

bool same_connection(const Transfer& a, const Transfer& b) {
  return a.source == b.source && a.destination == b.destination && a.relay == b.relay &&
         a.source_nic == b.source_nic && a.destination_nic == b.destination_nic;
}

bool same_connections(const Step& a, const Step& b) {
  if (a.size() != b.size()) return false;
  for (std::uint64_t i = 0; i < a.size(); ++i)
    if (!same_connection(a.at(i, 0), b.at(i, 0))) return false;
  return true;
}

/// Whether the second loop belongs to the same stage: it has the same kind of coupling and, if
/// coupled, the same connections as the first.
bool continues(const Loop& a, const Loop& b) {
  if (is_coupled(a.coupling) != is_coupled(b.coupling)) return false;
  if (!is_coupled(a.coupling)) return true;
  if (a.coupling != b.coupling || a.steps.size() != b.steps.size()) return false;
  for (std::size_t i = 0; i < a.steps.size(); ++i)
    if (!same_connections(a.steps[i], b.steps[i])) return false;
  return true;
}

Stage::Kind kind_of(std::span<const Loop> loops) {
  if (is_coupled(loops.front().coupling)) return Stage::Kind::steady;
  const bool alone =
      loops.size() == 1 && loops.front().coupling == collectives::Coupling::independent;
  return alone ? Stage::Kind::independent : Stage::Kind::replayed;
}

}  // namespace

std::uint64_t transfers_of(const Stage& stage) {
  std::uint64_t sum = 0;
  for (const Loop& loop : stage.loops) {
    std::uint64_t body = 0;
    for (const collectives::Step& step : loop.steps) body += step.size();
    sum += body * loop.repeat;
  }
  return sum;
}

std::uint64_t streams_of(const Stage& stage) {
  const bool is_one = stage.kind == Stage::Kind::steady || stage.kind == Stage::Kind::together;
  return is_one ? 1 : transfers_of(stage);
}

std::vector<Stage> stages(const collectives::Channel& channel) {
  std::vector<Stage> result;
  const std::span<const Loop> loops(channel.loops);
  for (std::size_t first = 0; first < loops.size();) {
    std::size_t end = first + 1;
    while (end < loops.size() && continues(loops[end - 1], loops[end])) ++end;
    result.push_back(
        {kind_of(loops.subspan(first, end - first)), loops.subspan(first, end - first)});
    first = end;
  }
  return result;
}

std::vector<Stage> expanded_stages(const collectives::Channel& channel) {
  if (channel.loops.empty()) return {};
  return {{Stage::Kind::replayed, std::span<const Loop>(channel.loops)}};
}

}  // namespace railyard::sim
