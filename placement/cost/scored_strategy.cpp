#include "placement/cost/scored_strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "placement/model/flops.hpp"
#include "placement/strategy/fitting_change.hpp"

namespace railyard::placement {
namespace {

struct Part {
  std::string_view name;
  Time time;
};

std::array<Part, 9> parts_of(const StepCost& c) {
  return {{{c.host_bound ? "host launching kernels" : "compute", c.compute},
           {"tensor-parallel collectives", c.tp},
           {"pipeline messages", c.pp},
           {"data-parallel collectives", c.dp},
           {"expert all-to-all", c.ep},
           {"context-parallel exchange", c.cp},
           {"pipeline bubble", c.bubble},
           {"optimizer", c.optimizer},
           {"offloading", c.offload}}};
}

}  // namespace

double flops_per_gpu(const Job& job, const ScoredStrategy& s) {
  return step_flops(job) / (s.step.total.seconds() * s.strategy.gpus());
}

double mfu(const CostContext& c, const ScoredStrategy& s) {
  if (c.types.size() == 1)
    return flops_per_gpu(c.job, s) /
           static_cast<double>(peak(c.on(0).gpu, c.job.precision).per_second());
  double peaks = 0;
  const std::vector<int> used = gpus_used(s.strategy, c.types.size());
  for (std::size_t t = 0; t < used.size(); ++t)
    peaks += used[t] * static_cast<double>(peak(c.types[t].gpu, c.job.precision).per_second());
  return step_flops(c.job) / (s.step.total.seconds() * peaks);
}

ScoredStrategy score(const CostContext& c, const Strategy& s, const ByType<GroupShapes>& shapes,
                     const ByType<BlockCosts>& blocks) {
  ScoredStrategy scored{.strategy = s};
  scored.step = step_cost(c, s, shapes, blocks, c.types.size() > 1 ? &scored.computing : nullptr);
  const FullestGpu fullest = fullest_gpu(c, s);
  scored.memory = fullest.memory;
  scored.fits = fullest.fits;
  scored.fullest = fullest.type;
  return scored;
}

ScoredStrategy score(const CostContext& c, const Strategy& s) {
  const TypeBlocks parts = type_blocks(c, s);
  return score(c, s, parts.shapes, parts.blocks);
}

std::string bound_by(const CostContext& c, const ScoredStrategy& s) {
  if (!s.fits)
    return fmt::format("memory: {:.1f} GB too much; {}",
                       (s.memory.total() - c.on(s.fullest).gpu.gpu.memory).gigabytes(),
                       fitting_change(c, s.strategy).value_or("more GPUs, or --offload"));
  const auto parts = parts_of(s.step);
  const Part& most = *std::max_element(
      parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.time < b.time; });
  return fmt::format("{} ({:.0f} %)", most.name,
                     100 * most.time.seconds() / s.step.total.seconds());
}

std::string why_slower(const ScoredStrategy& winner, const ScoredStrategy& loser) {
  const auto a = parts_of(winner.step), b = parts_of(loser.step);
  std::array<std::pair<Time, std::string_view>, 9> grown{};
  for (std::size_t i = 0; i < a.size(); ++i) grown[i] = {b[i].time - a[i].time, b[i].name};
  std::stable_sort(grown.begin(), grown.end(),
                   [](const auto& x, const auto& y) { return x.first > y.first; });
  const double whole = winner.step.total.seconds();
  // Differences below 0.1 % of a step are not reported.
  const auto counts = [&](Time time) { return std::abs(time.seconds()) >= 0.001 * whole; };
  std::string text;
  const auto say = [&](const std::pair<Time, std::string_view>& part, std::string_view how) {
    if (counts(part.first))
      text += fmt::format("{}{:.3f} s {} {}", text.empty() ? "" : ", ",
                          std::abs(part.first.seconds()), how, part.second);
  };
  for (std::size_t i = 0; i < 2 && grown[i].first > Time(); ++i) say(grown[i], "more");
  if (text.empty()) return "takes as long, with a difference below 0.1 % in every part";
  if (grown.back().first < Time()) say(grown.back(), "less");
  const double slower = loser.step.total.seconds() - whole;
  // The format below would print this as 0.0 %.
  if (std::abs(slower) < 0.0005 * whole) return fmt::format("takes as long: {}", text);
  return fmt::format("takes longer by {:.3f} s ({:.1f} %): {}", slower, 100 * slower / whole, text);
}

}  // namespace railyard::placement
