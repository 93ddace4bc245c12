#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "placement/cost/scored.hpp"

namespace railyard::placement {

/// The given part of a strategy on several types of GPU. The search chooses the rest: layers where
/// they are empty; classes, or their replicas and micro-batches where they are 0.
struct GivenStrategy {
  Strategy strategy{};
  GivenDimensions given{};
};

/// What a search may choose from.
struct SearchSpace {
  int gpus = 0;  ///< of a cluster of one type; several types: those of the context, or counts
  int top = 10;  ///< how many of the best are kept
  bool overlap = true;   ///< tensor- and data-parallel overlap, pipeline sends
  bool offload = false;  ///< optimizer, activations, weights in host memory
  /// What few frameworks have, or few jobs gain by.
  bool zero_bubble = false, dualpipe = false;
  bool ep_overlap = false;      ///< all-to-all beside another micro-batch's computation, also where
                                ///< Megatron-LM has none (1F1B, full recomputation)
  bool shard_groups = false;    ///< copies of sharded state in groups of every size
  bool sharded_stages = false;  ///< ZeRO 2 and 3 with pipelines
  /// Stages balanced by cost, embedding and head included; over several types they always are.
  bool uneven_stages = false;
  /// Norms and activation functions computed again also for models without experts.
  bool recompute_operations = false;
  int largest_tp = 64;
  int largest_micro_batch = 64;
  bool prune = true;  ///< bounds on memory and time before the whole cost
  /// Over several types: layers and micro-batches dealt by the speed of the types, else evenly.
  bool uneven_layers = true, uneven_batches = true;
  std::optional<GivenStrategy> fix{};
  /// The value to minimise; left out: the time of a step.
  std::function<double(const Scored&)> value{};
  /// With it: a lower bound of the value over strategies that take so many GPUs of each type for so
  /// many seconds.
  std::function<double(std::span<const int> gpus, double seconds)> least{};
  double longest = 0;  ///< steps of more seconds are left out; 0: none
  /// Several types: numbers of GPUs of each to choose from; empty: all that may be used. Of each
  /// number some GPUs may be left over.
  std::vector<std::vector<int>> counts{};
  /// Called every few thousand strategies with how far the search is (0..1); false stops it.
  std::function<bool(double done)> keep_going{};
};

/// What a search found.
struct SearchResult {
  std::vector<Scored> best{};       ///< best first, all of them fit
  std::optional<Scored> nearest{};  ///< where nothing fits: the one that lacks the least memory
  std::uint64_t strategies = 0;     ///< valid ones met
  std::uint64_t evaluated = 0;      ///< whose cost was computed
  std::uint64_t too_large = 0;      ///< that do not fit
  std::uint64_t too_slow = 0;       ///< left out by the bound
  bool stopped = false;
};

/// Every valid strategy of the job on the GPUs of the space: tp, cp (ring, all_gather, Ulysses), pp
/// (1F1B, interleaved, ends counted as layers), dp, ep, etp, micro-batch, recomputation (of all
/// layers, of the fewest that make it fit, or with experts of norms and activation functions, with
/// latent attention also of its products), sequence parallelism, ZeRO, overlaps, and what the
/// space adds. On one type all GPUs are used and stages are even; over several types pipelines are
/// those of pipelines_of, each with the layers of split_layers within the memory of its stages and
/// the micro-batches of split_batches. Bounds: the work of an average stage, m · (F + B) of all
/// layers / pp, below any schedule's time; over several types the time in which replicas with their
/// slowest stages and filled pipelines could have done all micro-batches. With prune = false
/// nothing is left out, and the best are the same. Order of equals: as enumerated. Throws
/// InputError where offloading is asked for and the GPU's config does not give the host bandwidth,
/// and for a fixed strategy that cannot be.
[[nodiscard]] SearchResult search(const CostContext& context, const SearchSpace& space);

}  // namespace railyard::placement
