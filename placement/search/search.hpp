#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "placement/cost/scored.hpp"

namespace railyard::placement {

/// What a search may choose from.
struct SearchSpace {
  int gpus = 1;
  int top = 10;          ///< how many of the best are kept
  bool overlap = true;   ///< tensor- and data-parallel overlap, pipeline sends
  bool offload = false;  ///< optimizer, activations, weights in host memory
  /// What few frameworks have, or few jobs gain by.
  bool zero_bubble = false, dualpipe = false;
  bool ep_overlap = false;      ///< all-to-all beside another micro-batch's computation
  bool shard_groups = false;    ///< copies of sharded state in groups of every size
  bool sharded_stages = false;  ///< ZeRO 2 and 3 with pipelines
  bool uneven_stages = false;   ///< layers dealt so that embedding and head weigh what they take
  int largest_tp = 64;
  int largest_micro_batch = 64;
  bool prune = true;  ///< bounds on memory and time before the whole cost
  /// Called every few thousand strategies with how far the search is (0..1); false stops it.
  std::function<bool(double done)> keep_going{};
};

/// What a search found.
struct SearchResult {
  std::vector<Scored> best{};       ///< fastest first, all of them fit
  std::optional<Scored> nearest{};  ///< where nothing fits: what lacks the least memory
  std::uint64_t strategies = 0;     ///< valid ones met
  std::uint64_t evaluated = 0;      ///< whose cost was computed
  std::uint64_t too_large = 0;      ///< that do not fit
  std::uint64_t too_slow = 0;       ///< left out by the bound
  bool stopped = false;
};

/// Every valid strategy of the job on space.gpus GPUs: tp, cp (ring, all_gather, Ulysses), pp
/// (1F1B, interleaved, ends counted as layers), dp, ep, etp, micro-batch, recomputation (of all
/// layers, or of the fewest that make it fit), sequence parallelism, ZeRO, overlaps, and what the
/// space adds. The bound is the work of an average stage, m · (F + B) of all layers / pp, below any
/// schedule's time; with prune = false nothing is left out, and the best are the same. Order of
/// equals: as enumerated. Throws InputError where offloading is asked for and the GPU's config does
/// not say how fast that is.
[[nodiscard]] SearchResult search(const CostContext& context, const SearchSpace& space);

}  // namespace railyard::placement
