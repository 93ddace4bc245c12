#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "placement/cost/scored.hpp"

namespace railyard::placement {

/// The given part of a strategy on several types of GPU. The search chooses what is not given:
/// layers or classes if empty, replicas and micro-batches if 0.
struct GivenStrategy {
  Strategy strategy{};
  GivenDimensions given{};
};

/// The strategies that a search may choose from, and how it ranks them.
struct SearchSpace {
  int gpus = 0;  ///< GPUs of a cluster of one type; with several types see CostContext and `counts`
  int top = 10;  ///< number of best strategies in the result
  bool overlap = true;   ///< overlap of tensor- and data-parallel collectives and of pipeline sends
  bool offload = false;  ///< optimizer, activations and weights in host memory
  // Settings that few frameworks support, or that help only few jobs:
  bool zero_bubble = false, dualpipe = false;
  bool ep_overlap = false;      ///< all-to-all overlaps also where Megatron-LM does not support it
                                ///< (1F1B, full recomputation)
  bool shard_groups = false;    ///< ZeRO state replicated: shard groups of every size
  bool sharded_stages = false;  ///< ZeRO 2 and 3 with pipelines
  /// Stages balanced by cost, embedding and head included; always so over several types.
  bool uneven_stages = false;
  /// Recompute norms and activation functions also for models without experts.
  bool recompute_operations = false;
  int largest_tp = 64;
  int largest_micro_batch = 64;
  bool prune = true;  ///< check bounds on memory and time before the full cost
  /// Over several types: layers and micro-batches by the speed of the types.
  bool uneven_layers = true, uneven_batches = true;
  std::optional<GivenStrategy> fix{};
  /// The value to minimise; empty: the time of a step.
  std::function<double(const Scored&)> value{};
  /// With `value`: a lower bound of the value over all strategies that use gpus[t] GPUs of each
  /// type t and take at least `seconds` per step.
  std::function<double(std::span<const int> gpus, double seconds)> least{};
  double longest = 0;  ///< the longest step allowed, in s; 0: no limit
  /// Several types: numbers of GPUs of each type to choose from; empty: all usable ones. Some may
  /// be left over.
  std::vector<std::vector<int>> counts{};
  /// Called every few thousand strategies with the completed fraction of the search (0 to 1).
  /// Returning false stops it.
  std::function<bool(double done)> keep_going{};
};

/// The result of a search.
struct SearchResult {
  std::vector<Scored> best{};       ///< best first; all of them fit
  std::optional<Scored> nearest{};  ///< if nothing fits: the strategy that exceeds memory the least
  std::uint64_t strategies = 0;     ///< valid strategies
  std::uint64_t evaluated = 0;      ///< strategies with a computed cost
  std::uint64_t too_large = 0;      ///< strategies that do not fit
  std::uint64_t too_slow = 0;       ///< strategies that a bound ruled out
  bool stopped = false;
};

}  // namespace railyard::placement
