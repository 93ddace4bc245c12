#include "sim/flow/expanded_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/analytic/longest_chain.hpp"
#include "sim/flow/stage.hpp"

namespace railyard::sim {
namespace {

using collectives::Coupling;
using collectives::Schedule;

constexpr Time kOneHop = Time::picoseconds(1);
/// Smaller differences between streams and single transfers are ignored; results have two digits.
constexpr double kSame = 0.005;

ExpandedBound bound_of(const Stage& stage) {
  ExpandedBound bound{.chunks = 0, .hops = 0};
  for (const auto& loop : stage.loops) bound.chunks += loop.repeat;
  LongestChain chain;
  for (const auto& step : stage.loops.front().steps) {
    for (std::uint64_t i = 0; i < step.size(); ++i) {
      const auto transfer = step.at(i, 0);
      chain.pass(transfer.source, transfer.destination, Time(), kOneHop);
    }
    chain.end_step();
  }
  bound.hops = static_cast<std::uint64_t>(chain.longest().chunks.picoseconds());
  return {.chunks = std::max<std::uint64_t>(bound.chunks, 1),
          .hops = std::max<std::uint64_t>(bound.hops, 1)};
}

std::string reason(double ratio, const ExpandedBound& bound) {
  if (ratio < 1 - kSame) return ": overheads overlap with the bytes of other transfers";
  if (ratio < 1 + kSame || bound.hops < 2) return "";
  return fmt::format(
      ": a chunk is forwarded when its last byte has arrived, so that {} chunks over {} hops take "
      "up to {:.2f} times as long",
      bound.chunks, bound.hops, bound.factor());
}

}  // namespace

ExpandedBound expanded_bound(const Schedule& schedule) {
  ExpandedBound largest;
  for (const auto& channel : schedule.channels())
    for (const Stage& stage : stages(channel)) {
      if (stage.loops.front().coupling != Coupling::pipeline) continue;
      const ExpandedBound bound = bound_of(stage);
      if (bound.factor() > largest.factor()) largest = bound;
    }
  return largest;
}

bool has_streams(const Schedule& schedule) {
  return std::ranges::any_of(schedule.channels(), [](const auto& channel) {
    return std::ranges::any_of(
        stages(channel), [](const Stage& stage) { return stage.kind == Stage::Kind::steady; });
  });
}

std::string compare_with_streams(std::span<const collectives::Task> tasks,
                                 const collectives::Run& expanded,
                                 const collectives::Run& streams) {
  std::size_t worst = tasks.size();
  double ratio = 1;
  const auto seconds = [](const collectives::TaskResult& result) {
    return (result.finish - result.start).seconds();
  };
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!has_streams(*tasks[i].schedule) || seconds(streams.tasks[i]) <= 0) continue;
    const double of_task = seconds(expanded.tasks[i]) / seconds(streams.tasks[i]);
    if (worst < tasks.size() && std::abs(std::log(of_task)) <= std::abs(std::log(ratio))) continue;
    worst = i;
    ratio = of_task;
  }
  if (worst == tasks.size()) return "";
  const std::string name = tasks[worst].name.empty() ? "" : tasks[worst].name + ": ";
  return fmt::format("expanded: {}{:.2f} times as long as streams, which take {:.2f} us{}", name,
                     ratio, seconds(streams.tasks[worst]) * 1e6,
                     reason(ratio, expanded_bound(*tasks[worst].schedule)));
}

}  // namespace railyard::sim
