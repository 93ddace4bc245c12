#include "placement/search/search.hpp"

#include <algorithm>
#include <array>

#include "placement/cost/data_parallel.hpp"
#include "placement/strategy/divisors.hpp"
#include "placement/strategy/stages.hpp"
#include "placement/strategy/strategy_check.hpp"
#include "placement/strategy/uneven_stages.hpp"

namespace railyard::placement {
namespace {

/// A split of the GPUs, with its groups.
struct Layout {
  int pp = 1, dp = 1, ep = 1, etp = 1;
  GroupShapes shapes{};
};

constexpr std::array kContexts{ContextKind::ring, ContextKind::all_gather, ContextKind::ulysses};

class Search {
 public:
  Search(const CostContext& context, const SearchSpace& space)
      : products_(context.gpu), c_(context), space_(space) {
    c_.products = &products_;
  }

  SearchResult run() {
    if (space_.offload) require_host_bandwidth(c_.gpu);
    const std::vector<int> tps = divisors(space_.gpus, space_.largest_tp);
    for (std::size_t i = 0; i < tps.size() && !result_.stopped; ++i) {
      const auto at = [&](double part) {
        done_ = (static_cast<double>(i) + part) / static_cast<double>(tps.size());
      };
      if (c_.job.model.heads % tps[i] == 0) widths(tps[i], at);
    }
    return std::move(result_);
  }

 private:
  /// Context parallelism and micro-batches of a tensor width; `at` is told how far it is.
  void widths(int tp, const std::function<void(double)>& at) {
    const std::vector<int> cps = divisors(space_.gpus / tp, 64);
    for (std::size_t i = 0; i < cps.size(); ++i) {
      const int cp = cps[i];
      at(static_cast<double>(i) / static_cast<double>(cps.size()));
      if (cp > 1 && (c_.job.model.encoder || c_.job.sequence % (2 * cp) != 0)) continue;
      const std::vector<Layout> layouts = layouts_of(tp, cp);
      for (const int micro_batch : divisors(c_.job.batch, space_.largest_micro_batch)) {
        Strategy s{.tp = tp, .cp = cp, .micro_batch = micro_batch};
        for (const bool sequence_parallel : {true, false}) {
          if (tp == 1 && sequence_parallel) continue;
          s.sequence_parallel = sequence_parallel;
          for (const ContextKind context : kContexts) {
            if (!is_possible(s, context)) continue;
            s.context = context;
            recomputations(s, layouts);
            if (result_.stopped) return;
          }
        }
      }
    }
  }

  [[nodiscard]] bool is_possible(const Strategy& s, ContextKind context) const {
    if (s.cp == 1) return context == ContextKind::ring;
    return context != ContextKind::ulysses || c_.job.model.heads % (s.tp * s.cp) == 0;
  }

  void recomputations(Strategy s, const std::vector<Layout>& layouts) {
    const bool scores = c_.job.attention == AttentionKernel::unfused;
    for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
      if (recompute == Recompute::selective && !scores) continue;
      s.recompute = recompute;
      for (const bool overlap : {true, false}) {
        if (overlap && (!space_.overlap || s.tp == 1 || !s.sequence_parallel)) continue;
        s.tp_overlap = overlap;
        for (const bool ep_overlap : {true, false}) {
          if (ep_overlap && !(space_.overlap && space_.ep_overlap && c_.job.model.moe)) continue;
          s.ep_overlap = ep_overlap;
          along(s, layouts);
        }
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
      for (const int etp : {1, tp}) {
        if (etp > 1 && !c_.job.model.moe) continue;
        for (const int ep : divisors(experts, tp * dp * cp / etp)) {
          if (tp * dp * cp % (ep * etp) != 0) continue;
          const Strategy s{.tp = tp, .pp = pp, .dp = dp, .cp = cp, .ep = ep, .etp = etp};
          layouts.push_back({pp, dp, ep, etp, group_shapes(s, c_.order, c_.gpus_per_node)});
        }
        if (tp == 1) break;
      }
    }
    return layouts;
  }

  /// What blocks depend on of a layout: who tensor, context and expert groups are.
  struct LayoutBlocks {
    int ep = 1, etp = 1;
    GroupShape tp{}, cp{}, experts{};
    Blocks blocks{};
  };

  /// Of layouts with the same such groups once.
  const Blocks& blocks_of(const Strategy& s, const GroupShapes& shapes,
                          std::vector<LayoutBlocks>& known) const {
    // Without experts blocks are the same in every layout but for the shape of their groups.
    const GroupShape experts = c_.job.model.moe ? shapes.ep : GroupShape();
    const auto same = [&](const LayoutBlocks& k) {
      return k.ep == s.ep && k.etp == s.etp && k.tp == shapes.tp && k.cp == shapes.cp &&
             k.experts == experts;
    };
    const auto found = std::ranges::find_if(known, same);
    if (found != known.end()) return found->blocks;
    known.push_back({s.ep, s.etp, shapes.tp, shapes.cp, experts, block_costs(c_, s, shapes)});
    return known.back().blocks;
  }

  /// All layouts with one kind of block.
  void along(Strategy s, const std::vector<Layout>& layouts) {
    std::vector<LayoutBlocks> known;
    for (const Layout& layout : layouts) {
      s.pp = layout.pp;
      s.dp = layout.dp;
      s.ep = layout.ep;
      s.etp = layout.etp;
      if (c_.job.batch % (s.dp * s.micro_batch) != 0) continue;
      if (s.ep_overlap && s.ep == 1) continue;
      const Blocks& blocks = blocks_of(s, layout.shapes, known);
      front_stages(s, layout, blocks);
      for (const bool even_ends : {false, true}) stages(s, even_ends, layout, blocks);
      if (space_.uneven_stages && s.pp > 1) {
        Strategy uneven = s;
        uneven.layers = balanced_layers(c_.job.model, s, blocks);
        schedules(uneven, layout, blocks);
      }
      if (result_.stopped) return;
    }
  }

  /// Ways to cut the layers into stages of as many each; with `even_ends` embedding and head count.
  void stages(Strategy s, bool even_ends, const Layout& layout, const Blocks& blocks) {
    const int units = c_.job.model.layers + (even_ends ? 2 : 0);
    if (even_ends && (s.pp == 1 || units % s.pp != 0)) return;
    s.even_ends = even_ends;
    for (const int interleave : divisors(units / s.pp, s.pp > 1 ? 16 : 1)) {
      s.interleave = interleave;
      if (interleave == 1) {
        schedules(s, layout, blocks);
      } else {
        s.schedule = PipelineSchedule::interleaved;
        consider_all(s, layout, blocks);
      }
      if (result_.stopped) return;
    }
  }

  /// Orders of passes over stages without chunks.
  void schedules(Strategy s, const Layout& layout, const Blocks& blocks) {
    using enum PipelineSchedule;
    for (const PipelineSchedule schedule : {one_f_one_b, zero_bubble, dualpipe}) {
      if (schedule == zero_bubble && !(space_.zero_bubble && s.pp > 1)) continue;
      if (schedule == dualpipe && !(space_.dualpipe && s.pp > 1)) continue;
      s.schedule = schedule;
      consider_all(s, layout, blocks);
    }
  }

  /// All ways to shard, overlap and offload a strategy, where it is valid.
  void consider_all(const Strategy& s, const Layout& layout, const Blocks& blocks) {
    if (is_valid(c_.job, s, space_.gpus))
      sharded(s, {&layout.shapes, blocks, bound(s, blocks, true), bound(s, blocks, false), {}, {}});
  }

  static constexpr std::size_t kOffloads = 8;

  /// What strategies have in common that differ in sharding, overlap and offloading alone.
  struct Common {
    const GroupShapes* shapes;
    const Blocks& blocks;
    Time bound{};  ///< below any such strategy's time
    Time least{};  ///< and with less recomputed
    /// By way of offloading, of one way of sharding; overlaps change nothing.
    std::array<std::optional<MemoryParts>, kOffloads> memory{};
    /// Layers that must be computed again (fewest_again).
    std::array<std::optional<int>, kOffloads> again{};
  };

  /// Towers on stages of their own: the first, or the first two, ... up to a half; an encoder up to
  /// all but one.
  void front_stages(Strategy s, const Layout& layout, const Blocks& blocks) {
    if (!c_.job.model.has_front()) return;
    const int most = c_.job.model.encoder ? s.pp - 1 : s.pp / 2;
    for (s.tower_stages = 1; s.tower_stages <= most; ++s.tower_stages)
      consider_all(s, layout, blocks);
  }

  /// Sizes of shard groups; 0 is all replicas.
  [[nodiscard]] std::vector<int> shard_groups(const Strategy& s) const {
    std::vector<int> groups{0};
    if (s.zero == 0 || !space_.shard_groups) return groups;
    for (const int group : divisors(s.replicas(), s.replicas() / 2))
      if (group > 1) groups.push_back(group);
    return groups;
  }

  void sharded(Strategy s, const Common& common) {
    // ZeRO 2 and 3 shard what micro-batches of a pipeline accumulate.
    const bool all = s.pp == 1 || space_.sharded_stages;
    const int most = s.replicas() == 1 ? 0 : all ? 3 : 1;
    for (s.zero = 0; s.zero <= most; ++s.zero) {
      for (const int group : shard_groups(s)) {
        s.shard_group = group;
        Common own = common;
        GroupShapes shapes;
        if (group > 0) {
          shapes = group_shapes(s, c_.order, c_.gpus_per_node);
          own.shapes = &shapes;
        }
        overlapped(s, own);
      }
    }
  }

  void overlapped(Strategy s, Common& common) {
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

  void offloaded(Strategy s, Common& common) {
    const std::size_t ways = space_.offload ? kOffloads : 1;
    for (std::size_t way = 0; way < ways; ++way) {
      s.offload_optimizer = (way & 1) != 0;
      s.offload_activations = (way & 2) != 0;
      s.offload_weights = (way & 4) != 0;
      consider(s, common, common.bound, common.memory[way]);
      if (s.recompute == Recompute::full) partly(s, common, common.again[way]);
    }
  }

  /// The same with no more layers computed again than must be, where that is some but not all.
  void partly(Strategy s, const Common& common, std::optional<int>& again) {
    if (result_.stopped) return;
    if (is_too_slow(common.least)) {
      tick();
      ++result_.too_slow;
      return;
    }
    if (!again) again = fewest_again(s);
    if (*again > 0) {
      s.recompute_layers = *again;
      std::optional<MemoryParts> memory;
      consider(s, common, common.least, memory);
      return;
    }
    tick();
    ++(*again < 0 ? result_.too_large : result_.too_slow);
  }

  /// Fewest layers of a rank to compute again for the strategy to fit; 0 where it fits without or
  /// needs all, below where nothing helps.
  [[nodiscard]] int fewest_again(Strategy s) const {
    const auto fits = [&](Recompute recompute, int layers) {
      s.recompute = recompute;
      s.recompute_layers = layers;
      return peak_memory(c_.job, s, c_.gpu.compute().reserved).total() <= c_.gpu.gpu.memory;
    };
    if (!fits(Recompute::full, 0)) return -1;
    if (fits(Recompute::none, 0)) return 0;
    int too_few = 0, enough = 0;
    for (int stage = 0; stage < s.pp; ++stage)
      enough = std::max(enough, stage_layers(c_.job.model, s, stage).total());
    const int all = enough;
    while (enough - too_few > 1) {
      const int middle = (too_few + enough) / 2;
      (fits(Recompute::full, middle) ? enough : too_few) = middle;
    }
    return enough < all ? enough : 0;
  }

  /// The average stage's work, what is computed again too or not: no schedule is below it.
  [[nodiscard]] Time bound(const Strategy& s, const Blocks& blocks, bool recomputed) const {
    const int sparse = c_.job.model.moe_layers(), dense = c_.job.model.layers - sparse;
    const auto of = [&](const LayerCost& layer) {
      const Time both = layer.forward.total() + layer.backward.total();
      return recomputed ? both + layer.recompute.total() : both;
    };
    const Time all = of(blocks.dense) * dense + of(blocks.sparse) * sparse;
    return Time::picoseconds(all.picoseconds() / s.pp) * micro_batches(c_.job.batch, s);
  }

  [[nodiscard]] bool is_too_slow(Time bound) const {
    const bool full = result_.best.size() == static_cast<std::size_t>(space_.top);
    return space_.prune && full && bound > result_.best.back().step.total;
  }

  void consider(const Strategy& s, const Common& common, Time bound,
                std::optional<MemoryParts>& memory) {
    if (result_.stopped) return;
    tick();
    if (is_too_slow(bound)) {
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
    const StepCost step = step_cost(c_, s, *common.shapes, common.blocks);
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
                             .step = step_cost(c_, s, *common.shapes, common.blocks),
                             .memory = memory,
                             .fits = false};
  }

  void tick() {
    // Asking costs more than a strategy does, so it is done seldom.
    constexpr std::uint64_t kEvery = 8192;
    if (++result_.strategies % kEvery == 0 && space_.keep_going && !space_.keep_going(done_))
      result_.stopped = true;
  }

  ProductTimes products_;
  CostContext c_;
  const SearchSpace& space_;
  SearchResult result_;
  double done_ = 0;
};

}  // namespace

SearchResult search(const CostContext& context, const SearchSpace& space) {
  return Search(context, space).run();
}

}  // namespace railyard::placement
