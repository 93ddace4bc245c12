#include "placement/search.hpp"

#include <algorithm>
#include <array>

#include "placement/divisors.hpp"
#include "placement/strategy_check.hpp"

namespace railyard::placement {
namespace {

/// A split of the GPUs, with its groups.
struct Layout {
  int pp = 1, dp = 1, ep = 1;
  GroupShapes shapes{};
};

class Search {
 public:
  Search(const CostContext& context, const SearchSpace& space) : c_(context), space_(space) {}

  SearchResult run() {
    const std::vector<int> tps = divisors(space_.gpus, space_.largest_tp);
    double done = 0;
    for (const int tp : tps) {
      if (c_.job.model.heads % tp == 0) widths(tp);
      done += 1.0 / static_cast<double>(tps.size());
      done_ = done;
      if (result_.stopped) break;
    }
    return std::move(result_);
  }

 private:
  /// Context parallelism and micro-batches of a tensor width.
  void widths(int tp) {
    for (const int cp : divisors(space_.gpus / tp, 64)) {
      if (cp > 1 && (c_.job.model.encoder || c_.job.sequence % (2 * cp) != 0)) continue;
      const std::vector<Layout> layouts = layouts_of(tp, cp);
      for (const int micro_batch : divisors(c_.job.batch, space_.largest_micro_batch)) {
        Strategy s{.tp = tp, .cp = cp, .micro_batch = micro_batch};
        for (const bool sequence_parallel : {true, false}) {
          if (tp == 1 && sequence_parallel) continue;
          s.sequence_parallel = sequence_parallel;
          recomputations(s, layouts);
          if (result_.stopped) return;
        }
      }
    }
  }

  void recomputations(Strategy s, const std::vector<Layout>& layouts) {
    const bool scores = c_.job.attention == AttentionKernel::unfused;
    for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
      if (recompute == Recompute::selective && !scores) continue;
      s.recompute = recompute;
      for (const bool overlap : {true, false}) {
        if (overlap && (!space_.overlap || s.tp == 1 || !s.sequence_parallel)) continue;
        s.tp_overlap = overlap;
        along(s, layouts);
      }
    }
  }

  std::vector<Layout> layouts_of(int tp, int cp) const {
    std::vector<Layout> layouts;
    const int rest = space_.gpus / (tp * cp);
    for (const int pp : divisors(rest, c_.job.model.layers)) {
      const int dp = rest / pp;
      if (c_.job.batch % dp != 0) continue;
      const int experts = c_.job.model.moe ? c_.job.model.moe->experts : 1;
      for (const int ep : divisors(experts, tp * dp * cp)) {
        if (tp * dp * cp % ep != 0) continue;
        const Strategy s{.tp = tp, .pp = pp, .dp = dp, .cp = cp, .ep = ep};
        layouts.push_back({pp, dp, ep, group_shapes(s, c_.order, c_.gpus_per_node)});
      }
    }
    return layouts;
  }

  /// What blocks depend on of a layout: who tensor, context and expert groups are.
  struct LayoutBlocks {
    int ep = 1;
    GroupShape tp{}, cp{}, experts{};
    Blocks blocks{};
  };

  /// Of layouts with the same such groups once.
  const Blocks& blocks_of(const Strategy& s, const GroupShapes& shapes,
                          std::vector<LayoutBlocks>& known) const {
    // Without experts blocks are the same in every layout but for the shape of their groups.
    const GroupShape experts = c_.job.model.moe ? shapes.ep : GroupShape();
    const auto same = [&](const LayoutBlocks& k) {
      return k.ep == s.ep && k.tp == shapes.tp && k.cp == shapes.cp && k.experts == experts;
    };
    const auto found = std::ranges::find_if(known, same);
    if (found != known.end()) return found->blocks;
    known.push_back({s.ep, shapes.tp, shapes.cp, experts, block_costs(c_, s, shapes)});
    return known.back().blocks;
  }

  /// All layouts with one kind of block.
  void along(Strategy s, const std::vector<Layout>& layouts) {
    std::vector<LayoutBlocks> known;
    for (const Layout& layout : layouts) {
      s.pp = layout.pp;
      s.dp = layout.dp;
      s.ep = layout.ep;
      if (c_.job.batch % (s.dp * s.micro_batch) != 0) continue;
      const Blocks& blocks = blocks_of(s, layout.shapes, known);
      front_stages(s, layout, blocks);
      for (const int interleave : divisors(c_.job.model.layers / s.pp, s.pp > 1 ? 16 : 1)) {
        s.interleave = interleave;
        s.schedule = interleave > 1 ? PipelineSchedule::interleaved : PipelineSchedule::one_f_one_b;
        if (is_valid(c_.job, s, space_.gpus))
          sharded(s, {layout.shapes, blocks, bound(s, blocks), {}});
        if (result_.stopped) return;
      }
    }
  }

  static constexpr std::size_t kOffloads = 8;

  /// What strategies have in common that differ in sharding, overlap and offloading alone.
  struct Common {
    const GroupShapes& shapes;
    const Blocks& blocks;
    Time bound{};
    /// By way of offloading, of one way of sharding; overlaps change nothing.
    std::array<std::optional<MemoryParts>, kOffloads> memory{};
  };

  /// Towers on stages of their own: the first, or the first two, ... up to a half; an encoder up to
  /// all but one.
  void front_stages(Strategy s, const Layout& layout, const Blocks& blocks) {
    if (!c_.job.model.has_front()) return;
    s.interleave = 1;
    s.schedule = PipelineSchedule::one_f_one_b;
    const int most = c_.job.model.encoder ? s.pp - 1 : s.pp / 2;
    for (s.tower_stages = 1; s.tower_stages <= most; ++s.tower_stages)
      if (is_valid(c_.job, s, space_.gpus))
        sharded(s, {layout.shapes, blocks, bound(s, blocks), {}});
  }

  void sharded(Strategy s, Common common) {
    // ZeRO 2 and 3 shard what micro-batches of a pipeline accumulate: only without stages.
    const int most = s.replicas() == 1 ? 0 : s.pp == 1 ? 3 : 1;
    for (s.zero = 0; s.zero <= most; ++s.zero) {
      common.memory.fill(std::nullopt);
      for (const bool dp_overlap : {true, false}) {
        if (dp_overlap && (!space_.overlap || s.replicas() == 1)) continue;
        s.dp_overlap = dp_overlap;
        for (const bool pp_overlap : {true, false}) {
          if (pp_overlap && (!space_.overlap || s.interleave == 1)) continue;
          s.pp_overlap = pp_overlap;
          offloaded(s, common);
        }
      }
    }
  }

  void offloaded(Strategy s, Common& common) {
    const std::size_t ways = space_.offload ? kOffloads : 1;
    for (std::size_t way = 0; way < ways; ++way) {
      s.offload_optimizer = (way & 1) != 0;
      s.offload_activations = (way & 2) != 0;
      s.offload_weights = (way & 4) != 0;
      consider(s, common, common.memory[way]);
    }
  }

  /// The average stage's work: no schedule is below it.
  [[nodiscard]] Time bound(const Strategy& s, const Blocks& blocks) const {
    const int sparse = c_.job.model.moe_layers(), dense = c_.job.model.layers - sparse;
    const auto of = [](const LayerCost& layer) {
      return layer.forward.total() + layer.backward.total() + layer.recompute.total();
    };
    const Time all = of(blocks.dense) * dense + of(blocks.sparse) * sparse;
    return Time::picoseconds(all.picoseconds() / s.pp) * micro_batches(c_.job.batch, s);
  }

  void consider(const Strategy& s, const Common& common, std::optional<MemoryParts>& memory) {
    if (result_.stopped) return;
    tick();
    const bool full = result_.best.size() == static_cast<std::size_t>(space_.top);
    if (space_.prune && full && common.bound > result_.best.back().step.total) {
      ++result_.too_slow;
      return;
    }
    if (!memory) memory = peak_memory(c_.job, s, c_.gpu.compute().reserved);
    const bool fits = memory->total() <= c_.gpu.gpu.memory;
    if (!fits) ++result_.too_large;
    if (!fits && (space_.prune || !result_.best.empty())) {
      keep_nearest(s, common, *memory);
      return;
    }
    const StepCost step = step_cost(c_, s, common.shapes, common.blocks);
    ++result_.evaluated;
    if (fits) keep({.strategy = s, .step = step, .memory = *memory, .fits = true});
  }

  void keep(const Scored& scored) {
    auto& best = result_.best;
    const auto at = std::upper_bound(
        best.begin(), best.end(), scored,
        [](const Scored& a, const Scored& b) { return a.step.total < b.step.total; });
    if (at - best.begin() >= space_.top) return;
    best.insert(at, scored);
    if (best.size() > static_cast<std::size_t>(space_.top)) best.pop_back();
    result_.nearest.reset();
  }

  void keep_nearest(const Strategy& s, const Common& common, const MemoryParts& memory) {
    if (!result_.best.empty()) return;
    if (result_.nearest && result_.nearest->memory.total() <= memory.total()) return;
    result_.nearest = Scored{.strategy = s,
                             .step = step_cost(c_, s, common.shapes, common.blocks),
                             .memory = memory,
                             .fits = false};
  }

  void tick() {
    // Asking costs more than a strategy does, so it is done seldom.
    constexpr std::uint64_t kEvery = 8192;
    if (++result_.strategies % kEvery == 0 && space_.keep_going && !space_.keep_going(done_))
      result_.stopped = true;
  }

  const CostContext& c_;
  const SearchSpace& space_;
  SearchResult result_;
  double done_ = 0;
};

}  // namespace

SearchResult search(const CostContext& context, const SearchSpace& space) {
  return Search(context, space).run();
}

}  // namespace railyard::placement
