#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "placement/mixed/mixed_cost.hpp"
#include "placement/mixed/pipelines.hpp"

namespace railyard::placement {

/// What a search over GPUs of several types may choose from.
struct MixedSpace {
  int top = 5;
  bool overlap = true;
  bool uneven_layers = true;   ///< else dealt evenly
  bool uneven_batches = true;  ///< else the same for every replica
  int largest_tp = 64;
  int largest_micro_batch = 16;
  std::optional<MixedFix> fix{};  ///< what is given of it
  bool prune = true;              ///< by a bound that no strategy is below
  /// What is made smallest; left out: the time of a step.
  std::function<double(const MixedScored&)> value{};
  /// With it: what no strategy is below that takes so many GPUs of each type for so many seconds.
  std::function<double(std::span<const int> gpus, double seconds)> least{};
  double longest = 0;  ///< steps of more seconds are left out; 0: none
  /// GPUs of each type of which all are to be taken, or some left over: any of these; empty: all
  /// that are free.
  std::vector<std::vector<int>> counts{};
  /// Called every few hundred strategies with how far the search is (0..1); false stops it.
  std::function<bool(double done)> keep_going{};
};

struct MixedResult {
  std::vector<MixedScored> best{};       ///< fastest first, all of them fit
  std::optional<MixedScored> nearest{};  ///< where nothing fits: one that lacks the least memory
  std::uint64_t ways = 0;                ///< widths and pipelines met
  std::uint64_t evaluated = 0;
  bool stopped = false;
};

/// Strategies over all free GPUs of the types, or over some of them where that is faster: widths
/// (tp, cp, ep, micro-batch, recomputation, overlaps, ZeRO 0 and 1, without stages also 2 and 3)
/// and the ways of pipelines_of, each with the layers of split_layers within what the stages'
/// memory holds and the micro-batches of split_batches. 1F1B; where every replica lies on one type,
/// interleaved too. The bound: when replicas with their slowest stages and filled pipelines could
/// have done all micro-batches.
[[nodiscard]] MixedResult search_mixed(const MixedContext& context, const MixedSpace& space);

/// Layers and micro-batches for one strategy and way; std::nullopt where layers do not fit, or
/// there are too few micro-batches.
[[nodiscard]] std::optional<MixedStrategy> balance(const MixedContext& context,
                                                   const Strategy& strategy, const Pipelines& way,
                                                   const TypeBlocks& blocks,
                                                   const MixedSpace& space);

}  // namespace railyard::placement
