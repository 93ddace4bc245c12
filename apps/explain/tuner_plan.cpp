#include "apps/explain/tuner_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "apps/nccl/nccl_ways.hpp"

namespace railyard::apps {
namespace {

using collectives::Kind;

constexpr std::array kKinds{Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                            Kind::broadcast, Kind::reduce};

/// Ways that NCCL holds so much slower than its choice are not simulated.
constexpr double kHopeless = 4;

/// The best way at one size.
struct Best {
  Candidate way;
  std::string nccl_choice;  ///< "" where it is NCCL's
  double gain_pct = 0;
};

std::string name_of(const Candidate& way) {
  return fmt::format("{} {}", way.algorithm, to_text(way.protocol));
}

using TimedWay = std::pair<Candidate, WayTimes>;

/// The fastest of the ways that are better than `own`, NCCL's choice.
std::optional<TimedWay> faster_way(const TuningGround& ground, const ChoiceRequest& asked,
                                   std::span<const Candidate> ways, const TimedWay& own) {
  std::optional<TimedWay> fastest;
  for (const Candidate& way : ways) {
    if (!way.why_not.empty() || !way.no_schedule.empty() || way.chosen) continue;
    if (way.time_us > kHopeless * own.first.time_us) continue;
    const auto floor = ground.floor(asked, way);
    if (!floor || !floor->beats(own.second, ground.least_gain())) continue;
    const WayTimes times = ground.times(asked, way);
    if (!times.beats(own.second, ground.least_gain())) continue;
    if (!fastest || times.measured < fastest->second.measured) fastest.emplace(way, times);
  }
  return fastest;
}

/// Nothing where NCCL itself would fail. On one node there is no fabric that could add anything.
std::optional<Best> best_way(const TuningGround& ground, const ChoiceRequest& asked) {
  const std::vector<Candidate> ways = nccl_ways(ground.chooser, asked);
  const auto nccl = std::ranges::find(ways, true, &Candidate::chosen);
  if (nccl == ways.end()) return std::nullopt;
  const Best stays{*nccl, "", 0};
  if (asked.group->nodes().size() == 1 || !nccl->no_schedule.empty() || !ground.floor(asked, *nccl))
    return stays;
  const TimedWay own{*nccl, ground.times(asked, *nccl)};
  const auto faster = faster_way(ground, asked, ways, own);
  if (!faster) return stays;
  return Best{faster->first, name_of(*nccl),
              (own.second.measured / faster->second.measured - 1) * 100};
}

bool is_alike(const TunerRange& range, const Best& best) {
  return range.algorithm == best.way.algorithm && range.protocol == best.way.protocol &&
         range.channels == best.way.channels && range.nccl_choice == best.nccl_choice;
}

TunerRange range_of(Kind kind, std::uint64_t from, const Best& best) {
  return {.kind = kind,
          .from = from,
          .to = std::numeric_limits<std::uint64_t>::max(),
          .algorithm = best.way.algorithm,
          .protocol = best.way.protocol,
          .channels = std::max(1, best.way.channels),
          .nccl_choice = best.nccl_choice,
          .gain_pct = best.gain_pct};
}

}  // namespace

std::size_t tuning_steps(std::span<const Bytes> sizes) { return kKinds.size() * sizes.size(); }

TunerPlan plan_tuning(const TuningGround& ground, std::span<const Bytes> sizes,
                      const std::function<void(std::string_view)>& progress) {
  TunerPlan plan{.ranks = static_cast<int>(ground.group->size()),
                 .nodes = static_cast<int>(ground.group->nodes().size()),
                 .ranges = {}};
  ChoiceRequest asked{
      .group = ground.group, .collective = {}, .algorithm = "auto", .protocol = {}, .channels = {}};
  for (const Kind kind : kKinds) {
    std::int64_t last = -1;
    asked.collective.kind = kind;
    for (const Bytes size : sizes) {
      progress(fmt::format("{} {}", to_text(kind), size_text(size.count())));
      asked.collective.bytes = size;
      const std::optional<Best> best = best_way(ground, asked);
      if (!best) continue;
      if (last >= 0 && is_alike(plan.ranges.back(), *best)) {
        plan.ranges.back().gain_pct = std::min(plan.ranges.back().gain_pct, best->gain_pct);
      } else {
        const std::int64_t middle = last + (size.count() - last) / 2;
        if (last >= 0) plan.ranges.back().to = static_cast<std::uint64_t>(middle);
        plan.ranges.push_back(
            range_of(kind, last < 0 ? 0 : static_cast<std::uint64_t>(middle) + 1, *best));
      }
      last = size.count();
    }
  }
  return plan;
}

}  // namespace railyard::apps
