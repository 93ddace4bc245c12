#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "placement/cost/cost_context.hpp"
#include "placement/cost/memory.hpp"
#include "placement/search/pipelines.hpp"
#include "placement/search/search_space.hpp"

namespace railyard::placement {

/// The best strategies that a search has found so far, with the counts of the others. A lower bound
/// on the time of a strategy shows whether it can still enter the list (branch and bound).
class Shortlist {
 public:
  /// Both arguments must outlive the list.
  Shortlist(const CostContext& context, const SearchSpace& space)
      : context_(context), space_(space) {}

  [[nodiscard]] bool is_one_type() const { return context_.types.size() == 1; }
  [[nodiscard]] bool is_stopped() const { return result_.stopped; }
  [[nodiscard]] bool is_empty() const { return result_.best.empty(); }

  /// Completed fraction of the search, 0 to 1, for SearchSpace::keep_going.
  void set_progress(double done) { done_ = done; }

  /// Counts a valid strategy.
  void count() {
    ++result_.strategies;
    poll();
  }
  void count_too_slow() {
    count();
    ++result_.too_slow;
  }
  /// Counts several strategies that one bound excludes as one.
  void count_too_slow_family() {
    ++result_.strategies;
    ++result_.too_slow;
  }
  void count_too_large() { ++result_.too_large; }

  /// Calls SearchSpace::keep_going on few of its calls, and stops the search if that returns false.
  void poll() {
    // keep_going costs more time than the evaluation of a strategy on one type of GPU.
    constexpr std::uint64_t kEvery = 8192, kEveryOfSeveral = 512;
    const std::uint64_t every = is_one_type() ? kEvery : kEveryOfSeveral;
    if (++polls_ % every == 0 && space_.keep_going && !space_.keep_going(done_))
      result_.stopped = true;
  }

  /// Whether no strategy with these widths (tp, cp, ...) and a time of at least `bound` can enter
  /// the list. `pipelines`: the GPUs that it uses of several types; null: not known yet.
  [[nodiscard]] bool is_too_slow(Time bound, const Strategy& widths,
                                 const Pipelines* pipelines) const {
    if (!space_.prune) return false;
    if (space_.longest > 0 && bound.seconds() > space_.longest) return true;
    if (result_.best.size() != static_cast<std::size_t>(space_.top)) return false;
    if (!space_.value) return bound > result_.best.back().step.total;
    return space_.least && least_value(bound, widths, pipelines) > values_.back();
  }

  /// Adds a strategy if its bound, memory and cost allow. Computes `memory` if it is empty.
  void consider(const Strategy& strategy, const ByType<GroupShapes>& shapes,
                const ByType<BlockCosts>& blocks, const Pipelines* pipelines, Time bound,
                std::optional<FullestGpu>& memory);

  /// While nothing fits: keeps the strategy that exceeds memory the least.
  void keep_nearest(const Strategy& strategy, const ByType<GroupShapes>& shapes,
                    const ByType<BlockCosts>& blocks, const FullestGpu& memory);

  [[nodiscard]] SearchResult release() { return std::move(result_); }

 private:
  /// A lower bound of SearchSpace::value; below all values if the GPUs are not known yet.
  [[nodiscard]] double least_value(Time bound, const Strategy& widths,
                                   const Pipelines* pipelines) const;
  [[nodiscard]] ScoredStrategy cost_of(const Strategy& strategy, const ByType<GroupShapes>& shapes,
                                       const ByType<BlockCosts>& blocks,
                                       const FullestGpu& memory) const;
  void keep(ScoredStrategy&& scored);
  [[nodiscard]] Bytes excess(const MemoryParts& memory, int type) const {
    return memory.total() - context_.on(type).gpu.gpu.memory;
  }

  const CostContext& context_;
  const SearchSpace& space_;
  SearchResult result_;
  std::vector<double> values_;  ///< SearchSpace::value of the best strategies, if it is set
  std::uint64_t polls_ = 0;
  double done_ = 0;
};

}  // namespace railyard::placement
