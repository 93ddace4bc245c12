#include "placement/search/shortlist.hpp"

#include <algorithm>
#include <limits>

namespace railyard::placement {

double Shortlist::least_value(Time bound, const Strategy& widths,
                              const Pipelines* pipelines) const {
  if (is_one_type()) return space_.least(std::vector<int>{space_.gpus}, bound.seconds());
  if (pipelines == nullptr) return -std::numeric_limits<double>::infinity();
  std::vector<int> gpus = pipelines->used;
  for (int& count : gpus) count *= widths.tp * widths.cp;
  return space_.least(gpus, bound.seconds());
}

void Shortlist::consider(const Strategy& strategy, const ByType<GroupShapes>& shapes,
                         const ByType<BlockCosts>& blocks, const Pipelines* pipelines, Time bound,
                         std::optional<FullestGpu>& memory) {
  if (is_stopped()) return;
  count();
  if (is_too_slow(bound, strategy, pipelines)) {
    ++result_.too_slow;
    return;
  }
  if (!memory) memory = fullest_gpu(context_, strategy);
  if (!memory->fits) ++result_.too_large;
  if (!memory->fits && (space_.prune || !is_empty())) {
    keep_nearest(strategy, shapes, blocks, *memory);
    return;
  }
  ScoredStrategy scored = cost_of(strategy, shapes, blocks, *memory);
  ++result_.evaluated;
  if (scored.fits) keep(std::move(scored));
}

void Shortlist::keep_nearest(const Strategy& strategy, const ByType<GroupShapes>& shapes,
                             const ByType<BlockCosts>& blocks, const FullestGpu& memory) {
  if (!is_empty()) return;
  const auto& nearest = result_.nearest;
  if (nearest && excess(nearest->memory, nearest->fullest) <= excess(memory.memory, memory.type))
    return;
  result_.nearest = cost_of(strategy, shapes, blocks, memory);
}

ScoredStrategy Shortlist::cost_of(const Strategy& strategy, const ByType<GroupShapes>& shapes,
                                  const ByType<BlockCosts>& blocks,
                                  const FullestGpu& memory) const {
  ScoredStrategy scored{
      .strategy = strategy, .memory = memory.memory, .fits = memory.fits, .fullest = memory.type};
  scored.step =
      step_cost(context_, strategy, shapes, blocks, is_one_type() ? nullptr : &scored.computing);
  return scored;
}

void Shortlist::keep(ScoredStrategy&& scored) {
  if (space_.longest > 0 && scored.step.total.seconds() > space_.longest) return;
  auto& best = result_.best;
  const double value = space_.value ? space_.value(scored) : 0;
  const auto step_time = [](const ScoredStrategy& s) { return s.step.total; };
  const auto at = space_.value ? std::ranges::upper_bound(values_, value) - values_.begin()
                               : std::ranges::upper_bound(best, scored.step.total, {}, step_time) -
                                     best.begin();
  if (at >= space_.top) return;
  best.insert(best.begin() + at, std::move(scored));
  if (space_.value) values_.insert(values_.begin() + at, value);
  if (best.size() > static_cast<std::size_t>(space_.top)) {
    best.pop_back();
    if (space_.value) values_.pop_back();
  }
  result_.nearest.reset();
}

}  // namespace railyard::placement
