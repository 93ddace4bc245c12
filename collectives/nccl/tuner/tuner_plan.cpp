#include "collectives/nccl/tuner/tuner_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace railyard::collectives::nccl {
namespace {

constexpr std::array kKinds{Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                            Kind::broadcast, Kind::reduce};

/// Choices whose time in NCCL's estimate is more than this many times that of NCCL's choice are not
/// simulated.
constexpr double kHopeless = 4;

/// The best choice at one size.
struct Best {
  AlgorithmChoice choice;
  std::string nccl_choice;  ///< "" if the best choice is NCCL's
  double gain_pct = 0;
};

std::string text_of(const AlgorithmChoice& choice) {
  return fmt::format("{} {}", choice.algorithm, to_text(choice.protocol));
}

using TimedChoice = std::pair<AlgorithmChoice, ChoiceTimes>;

/// The fastest of the choices that beat NCCL's choice `own`; nothing if there is none.
std::optional<TimedChoice> faster_choice(const TuningFabric& fabric, const ChoiceRequest& request,
                                         std::span<const AlgorithmChoice> choices,
                                         const TimedChoice& own) {
  std::optional<TimedChoice> fastest;
  for (const AlgorithmChoice& choice : choices) {
    if (!choice.why_not.empty() || !choice.no_schedule.empty() || choice.chosen) continue;
    if (choice.time_us > kHopeless * own.first.time_us) continue;
    const auto bound = fabric.lower_bound(request, choice);
    if (!bound || !bound->beats(own.second, fabric.least_gain())) continue;
    const ChoiceTimes times = fabric.times(request, choice);
    if (!times.beats(own.second, fabric.least_gain())) continue;
    if (!fastest || times.predicted < fastest->second.predicted) fastest.emplace(choice, times);
  }
  return fastest;
}

/// The best choice at one size; nothing if NCCL itself would fail. On a single node NCCL's choice
/// is kept, because there is no fabric that could add time.
std::optional<Best> best_choice(const TuningFabric& fabric, const ChoiceRequest& request) {
  const std::vector<AlgorithmChoice> choices = fabric.chooser.choices(request);
  const auto nccl = std::ranges::find(choices, true, &AlgorithmChoice::chosen);
  if (nccl == choices.end()) return std::nullopt;
  const Best stays{*nccl, "", 0};
  if (request.group->nodes().size() == 1 || !nccl->no_schedule.empty() ||
      !fabric.lower_bound(request, *nccl))
    return stays;
  const TimedChoice own{*nccl, fabric.times(request, *nccl)};
  const auto faster = faster_choice(fabric, request, choices, own);
  if (!faster) return stays;
  return Best{faster->first, text_of(*nccl),
              (own.second.predicted / faster->second.predicted - 1) * 100};
}

bool is_alike(const TunerRange& range, const Best& best) {
  return range.algorithm == best.choice.algorithm && range.protocol == best.choice.protocol &&
         range.channels == best.choice.channels && range.nccl_choice == best.nccl_choice;
}

TunerRange range_of(Kind kind, std::uint64_t from, const Best& best) {
  return {.kind = kind,
          .from = from,
          .to = std::numeric_limits<std::uint64_t>::max(),
          .algorithm = best.choice.algorithm,
          .protocol = best.choice.protocol,
          .channels = std::max(1, best.choice.channels),
          .nccl_choice = best.nccl_choice,
          .gain_pct = best.gain_pct};
}

}  // namespace

std::size_t tuning_steps(std::span<const Bytes> sizes) { return kKinds.size() * sizes.size(); }

TunerPlan plan_tuning(const TuningFabric& fabric, std::span<const Bytes> sizes,
                      const TunerProgress& progress) {
  TunerPlan plan{.ranks = static_cast<int>(fabric.group->size()),
                 .nodes = static_cast<int>(fabric.group->nodes().size()),
                 .ranges = {}};
  ChoiceRequest request{
      .group = fabric.group, .collective = {}, .algorithm = "auto", .protocol = {}, .channels = {}};
  for (const Kind kind : kKinds) {
    std::int64_t last = -1;
    request.collective.kind = kind;
    for (const Bytes size : sizes) {
      progress(kind, size);
      request.collective.bytes = size;
      const std::optional<Best> best = best_choice(fabric, request);
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

}  // namespace railyard::collectives::nccl
