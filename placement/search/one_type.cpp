#include "placement/search/one_type.hpp"

#include <algorithm>

#include "placement/search/evaluation.hpp"
#include "placement/search/parallel_splits.hpp"
#include "placement/search/width_loop.hpp"
#include "placement/strategy/divisors.hpp"
#include "placement/strategy/strategy_check.hpp"
#include "placement/strategy/uneven_stages.hpp"

namespace railyard::placement {
namespace {

constexpr int kLargestContext = 64;
constexpr int kMostChunks = 16;

/// Numbers of chunks per rank to try; powers of two if stages are uneven.
std::vector<int> chunk_counts(int layers, int pp, bool is_even) {
  if (is_even || pp == 1) return divisors(layers / pp, pp > 1 ? kMostChunks : 1);
  std::vector<int> chunks;
  for (int v = 1; v <= kMostChunks && pp * v <= layers; v *= 2) chunks.push_back(v);
  return chunks;
}

class OneTypeSearch {
 public:
  OneTypeSearch(const CostContext& context, const SearchSpace& space, Shortlist& shortlist)
      : context_(context),
        job_(context.job),
        space_(space),
        shortlist_(shortlist),
        evaluation_(context, space, shortlist) {}

  void run() {
    run_width_loop(context_, space_, shortlist_,
                   {.tensor = divisors(space_.gpus, space_.largest_tp),
                    .context = [&](int tp) { return context_widths(tp); },
                    .has_pipelines =
                        [&](int tp, int cp) {
                          splits_ = parallel_splits(context_, space_.gpus, tp, cp);
                          return !splits_.empty();
                        },
                    .search = [&](const Strategy& widths) { splits(widths); }});
  }

 private:
  [[nodiscard]] std::vector<int> context_widths(int tp) const {
    std::vector<int> widths = divisors(space_.gpus / tp, kLargestContext);
    if (widths.empty() || widths.front() != 1) widths.insert(widths.begin(), 1);
    return widths;
  }

  /// Costs of splits whose tensor, context and expert groups have the same shapes.
  struct SplitBlocks {
    int ep = 1, etp = 1;
    GroupShape tp{}, cp{}, experts{};
    BlockCosts blocks{};
  };

  /// Costs for a split, from `known` if an earlier split has the same groups.
  const BlockCosts& blocks_of(const Strategy& s, const GroupShapes& shapes,
                              std::vector<SplitBlocks>& known) const {
    // Without experts only the tensor and context groups matter.
    const GroupShape experts = job_.model.moe ? shapes.ep : GroupShape();
    const auto is_same = [&](const SplitBlocks& k) {
      return k.ep == s.ep && k.etp == s.etp && k.tp == shapes.tp && k.cp == shapes.cp &&
             k.experts == experts;
    };
    const auto found = std::ranges::find_if(known, is_same);
    if (found != known.end()) return found->blocks;
    known.push_back(
        {s.ep, s.etp, shapes.tp, shapes.cp, experts, block_costs(context_.on(0), s, shapes)});
    return known.back().blocks;
  }

  void splits(Strategy s) {
    std::vector<SplitBlocks> known;
    for (const ParallelSplit& split : splits_) {
      s.pp = split.pp;
      s.dp = split.dp;
      s.ep = split.ep;
      s.etp = split.etp;
      if (job_.batch % (s.dp * s.micro_batch) != 0) continue;
      if (s.ep_overlap && s.ep == 1) continue;
      const BlockCosts& blocks = blocks_of(s, split.shapes, known);
      tower_stages(s, split, blocks);
      for (const bool even_ends : {false, true}) even_stages(s, even_ends, split, blocks);
      if (space_.uneven_stages && s.pp > 1) {
        Strategy uneven = s;
        uneven.layers = balanced_layers(job_.model, s, blocks);
        schedules(uneven, split, blocks);
      }
      if (shortlist_.is_stopped()) return;
    }
  }

  /// Stages reserved for towers: the first 1, 2, ... up to half of the stages; for an encoder up to
  /// all but one.
  void tower_stages(Strategy s, const ParallelSplit& split, const BlockCosts& blocks) {
    if (!job_.model.has_front()) return;
    const int most = job_.model.encoder ? s.pp - 1 : s.pp / 2;
    for (s.tower_stages = 1; s.tower_stages <= most; ++s.tower_stages) evaluate(s, split, blocks);
  }

  /// Stages with equal layers, in one or several chunks per rank. With `even_ends` embedding and
  /// head count as a layer each.
  void even_stages(Strategy s, bool even_ends, const ParallelSplit& split,
                   const BlockCosts& blocks) {
    const int layers = job_.model.layers + (even_ends ? 2 : 0);
    if (even_ends && s.pp == 1) return;
    const bool is_even = layers % s.pp == 0;
    // If stages cannot be even, chunks that count the ends as layers differ by only one layer.
    if (even_ends && !is_even && job_.model.layers % s.pp == 0) return;
    s.even_ends = even_ends;
    for (const int interleave : chunk_counts(layers, s.pp, is_even)) {
      if (even_ends && !is_even && interleave == 1) continue;
      s.interleave = interleave;
      if (interleave == 1) {
        schedules(s, split, blocks);
      } else {
        s.schedule = PipelineSchedule::interleaved;
        evaluate(s, split, blocks);
      }
      if (shortlist_.is_stopped()) return;
    }
  }

  /// Schedules of pipelines with one chunk per rank.
  void schedules(Strategy s, const ParallelSplit& split, const BlockCosts& blocks) {
    using enum PipelineSchedule;
    for (const PipelineSchedule schedule : {one_f_one_b, zero_bubble, dualpipe}) {
      if (schedule == zero_bubble && !(space_.zero_bubble && s.pp > 1)) continue;
      if (schedule == dualpipe && !(space_.dualpipe && s.pp > 1)) continue;
      s.schedule = schedule;
      evaluate(s, split, blocks);
    }
  }

  void evaluate(const Strategy& s, const ParallelSplit& split, const BlockCosts& blocks) {
    if (!is_valid(job_, s, space_.gpus)) return;
    evaluation_.evaluate(s, {.shapes = split.shapes,
                             .blocks = blocks,
                             .bound = bound(s, blocks, true),
                             .least_bound = bound(s, blocks, false)});
  }

  /// No schedule is faster than m · (F + B [+ R]) of all layers / pp, the work of an average stage.
  [[nodiscard]] Time bound(const Strategy& s, const BlockCosts& blocks, bool is_recomputed) const {
    const int sparse = job_.model.moe_layers(), dense = job_.model.layers - sparse;
    const auto time_of = [&](const LayerCost& layer) {
      const Time both = layer.forward.total() + layer.backward.total();
      return is_recomputed ? both + layer.recompute.total() : both;
    };
    // Edge layers have another precision, which may be faster or slower: the faster one is a bound.
    const bool has_edges = job_.has_edges();
    const auto least = [&](const LayerCost& inner, const LayerCost& edge) {
      return has_edges ? std::min(time_of(inner), time_of(edge)) : time_of(inner);
    };
    const Time all = least(blocks.dense, blocks.edge_dense) * dense +
                     least(blocks.sparse, blocks.edge_sparse) * sparse;
    return Time::picoseconds(all.picoseconds() / s.pp) * micro_batches(job_.batch, s);
  }

  const CostContext& context_;
  const Job& job_;
  const SearchSpace& space_;
  Shortlist& shortlist_;
  Evaluation evaluation_;
  std::vector<ParallelSplit> splits_;  ///< for the current tensor and context width
};

}  // namespace

void search_one_type(const CostContext& context, const SearchSpace& space, Shortlist& shortlist) {
  OneTypeSearch(context, space, shortlist).run();
}

}  // namespace railyard::placement
