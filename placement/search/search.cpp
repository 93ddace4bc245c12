#include "placement/search/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "core/diagnostic.hpp"
#include "placement/cost/data_parallel.hpp"
#include "placement/cost/gpu_type.hpp"
#include "placement/search/balance.hpp"
#include "placement/search/layouts.hpp"
#include "placement/strategy/divisors.hpp"
#include "placement/strategy/stages.hpp"
#include "placement/strategy/strategy_check.hpp"
#include "placement/strategy/uneven_stages.hpp"

namespace railyard::placement {
namespace {

constexpr std::array kContexts{ContextKind::ring, ContextKind::all_gather, ContextKind::ulysses};

class Search {
  using Ways = std::vector<const std::vector<Pipelines>*>;

 public:
  Search(const CostContext& context, const SearchSpace& space) : c_(context), space_(space) {
    products_.reserve(c_.types.size());
    for (TypeContext& type : c_.types) products_.emplace_back(type.gpu);
    std::vector<TypeContext> types;
    for (std::size_t t = 0; t < c_.types.size(); ++t) {
      TypeContext type = c_.types[t];
      type.products = &products_[t];
      types.push_back(type);
    }
    c_.types.swap(types);
  }

  SearchResult run() {
    if (space_.fix) {
      fixed();
      return std::move(result_);
    }
    if (space_.offload)
      for (const TypeContext& type : c_.types) require_host_bandwidth(type.gpu);
    const std::vector<int> tps = tensor_sizes();
    for (std::size_t i = 0; i < tps.size() && !result_.stopped; ++i) {
      const auto at = [&](double part) {
        done_ = (static_cast<double>(i) + part) / static_cast<double>(tps.size());
      };
      if (c_.job.model.heads % tps[i] == 0) widths(tps[i], at);
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_one_type() const { return c_.types.size() == 1; }

  /// Over several types those within a node come first, widest first: good ones early make a sharp
  /// bound.
  [[nodiscard]] std::vector<int> tensor_sizes() const {
    if (is_one_type()) return divisors(space_.gpus, space_.largest_tp);
    int node = 1;
    for (const TypeContext& type : c_.types) node = std::max(node, type.gpus_per_node);
    std::vector<int> sizes = divisors(c_.job.model.heads, space_.largest_tp);
    std::reverse(sizes.begin(), std::ranges::find_if(sizes, [&](int tp) { return tp > node; }));
    return sizes;
  }

  static constexpr int kLargestContext = 64;

  [[nodiscard]] std::vector<int> context_sizes(int tp) const {
    std::vector<int> sizes = is_one_type() ? divisors(space_.gpus / tp, kLargestContext)
                                           : divisors(c_.job.sequence / 2, kLargestContext);
    if (sizes.empty() || sizes.front() != 1) sizes.insert(sizes.begin(), 1);
    return sizes;
  }

  /// Ways to split GPUs among the dimensions of a tensor and context width.
  struct Splits {
    std::vector<Layout> layouts{};  ///< of one type
    Ways ways{};                    ///< of several
  };

  /// Context parallelism and micro-batches of a tensor width; `at` is told how far it is.
  void widths(int tp, const std::function<void(double)>& at) {
    const std::vector<int> cps = context_sizes(tp);
    for (std::size_t i = 0; i < cps.size(); ++i) {
      const int cp = cps[i];
      at(static_cast<double>(i) / static_cast<double>(cps.size()));
      if (cp > 1 && (c_.job.model.encoder || c_.job.sequence % (2 * cp) != 0)) continue;
      Splits splits;
      if (is_one_type())
        splits.layouts = layouts_of(c_, space_.gpus, tp, cp);
      else
        splits.ways = all_ways(tp, cp);
      if (splits.layouts.empty() && splits.ways.empty()) continue;
      for (const int micro_batch : divisors(c_.job.batch, space_.largest_micro_batch)) {
        Strategy s{.tp = tp, .cp = cp, .micro_batch = micro_batch};
        for (const bool sequence_parallel : {true, false}) {
          if (tp == 1 && sequence_parallel) continue;
          s.sequence_parallel = sequence_parallel;
          for (const ContextKind context : kContexts) {
            if (!is_possible(s, context)) continue;
            s.context = context;
            recomputations(s, splits);
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

  void recomputations(Strategy s, const Splits& splits) {
    const bool scores = c_.job.attention == AttentionKernel::unfused;
    for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
      if (recompute == Recompute::selective && !scores) continue;
      s.recompute = recompute;
      operations(s, splits);
      if (result_.stopped) return;
    }
  }

  /// Operations computed again: none, the cheap ones, and those with the products of MLA. Few dense
  /// jobs gain by them.
  void operations(Strategy s, const Splits& splits) {
    overlaps(s, splits);
    if (s.recompute == Recompute::full) return;
    if (!c_.job.model.moe && !space_.recompute_operations) return;
    s.recompute_norms = s.recompute_act = true;
    overlaps(s, splits);
    if (!c_.job.model.mla) return;
    s.recompute_mla = true;
    overlaps(s, splits);
  }

  void overlaps(Strategy s, const Splits& splits) {
    for (const bool overlap : {true, false}) {
      if (overlap && (!space_.overlap || s.tp == 1 || !s.sequence_parallel)) continue;
      s.tp_overlap = overlap;
      for (const bool ep_overlap : {true, false}) {
        if (ep_overlap && !(space_.overlap && c_.job.model.moe)) continue;
        if (ep_overlap && s.recompute == Recompute::full && !space_.ep_overlap) continue;
        s.ep_overlap = ep_overlap;
        if (is_one_type())
          along(s, splits.layouts);
        else
          experts(s, splits.ways);
      }
    }
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
    known.push_back({s.ep, s.etp, shapes.tp, shapes.cp, experts, block_costs(c_.on(0), s, shapes)});
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

  /// Chunks of a rank; of uneven ones powers of two.
  [[nodiscard]] static std::vector<int> chunks_of(int units, int pp, bool is_even) {
    if (is_even || pp == 1) return divisors(units / pp, pp > 1 ? kMostChunks : 1);
    std::vector<int> chunks;
    for (int v = 1; v <= kMostChunks && pp * v <= units; v *= 2) chunks.push_back(v);
    return chunks;
  }

  /// Ways to cut the layers into stages of as many each; with `even_ends` embedding and head count.
  void stages(Strategy s, bool even_ends, const Layout& layout, const Blocks& blocks) {
    const int units = c_.job.model.layers + (even_ends ? 2 : 0);
    if (even_ends && s.pp == 1) return;
    const bool is_even = units % s.pp == 0;
    // Where stages cannot be even, chunks with the ends as layers differ by one layer.
    if (even_ends && !is_even && c_.job.model.layers % s.pp == 0) return;
    s.even_ends = even_ends;
    for (const int interleave : chunks_of(units, s.pp, is_even)) {
      if (even_ends && !is_even && interleave == 1) continue;
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

  /// Whether frameworks run the all-to-all of a micro-batch beside another's computation:
  /// Megatron-LM (--overlap-moe-expert-parallel-comm) without a pipeline or with chunks, DualPipe
  /// always.
  [[nodiscard]] static bool may_overlap_experts(const Strategy& s) {
    return s.pp == 1 || s.interleave > 1 || s.schedule == PipelineSchedule::dualpipe;
  }

  /// All ways to shard, overlap and offload a strategy, where it is valid.
  void consider_all(const Strategy& s, const Layout& layout, const Blocks& blocks) {
    if (is_valid(c_.job, s, space_.gpus))
      sharded(s, {.shapes = layout.shapes,
                  .blocks = blocks,
                  .bound = bound(s, blocks, true),
                  .least = bound(s, blocks, false)});
  }

  static constexpr std::size_t kOffloads = 8;
  static constexpr int kMostChunks = 16;

  /// What strategies have in common that differ in sharding, overlap and offloading alone.
  struct Common {
    ByType<GroupShapes> shapes;
    ByType<Blocks> blocks;
    const Pipelines* way = nullptr;  ///< over several types, to be given layers and micro-batches
    Time bound{};                    ///< below any such strategy's time
    Time least{};                    ///< and with less recomputed
    /// By way of offloading, of one way of sharding; overlaps change nothing.
    std::array<std::optional<FullestGpu>, kOffloads> memory{};
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
    if (s.ep_overlap && !space_.ep_overlap && !may_overlap_experts(s)) return;
    // ZeRO 2 and 3 shard what micro-batches of a pipeline accumulate.
    const bool all = s.pp == 1 || space_.sharded_stages;
    const int most = s.replicas() == 1 ? 0 : all ? 3 : 1;
    for (s.zero = 0; s.zero <= most; ++s.zero) {
      for (const int group : shard_groups(s)) {
        s.shard_group = group;
        Common own = common;
        std::vector<GroupShapes> shapes;
        if (group > 0) {
          shapes = type_shapes(c_, s);
          own.shapes = shapes;
        }
        dealt_.clear();
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
      if (common.way == nullptr) {
        consider_with(s, common, way);
        continue;
      }
      const Strategy* const dealt = deal(s, common, 2 * way + (s.pp_overlap ? 1 : 0));
      if (dealt == nullptr) continue;
      Strategy one = *dealt;
      one.dp_overlap = s.dp_overlap;
      consider_with(one, common, way);
    }
  }

  void consider_with(const Strategy& s, Common& common, std::size_t way) {
    consider(s, common, common.bound, common.memory[way]);
    if (s.recompute == Recompute::full) partly(s, common, common.again[way]);
  }

  /// Over several types: with layers and micro-batches; null where that cannot be. `key` says what
  /// of the strategy matters for that beside what is common.
  const Strategy* deal(const Strategy& s, const Common& common, std::size_t key) {
    const auto [known, is_new] = dealt_.try_emplace(key);
    if (is_new) {
      known->second = balance(c_, s, *common.way, common.shapes, common.blocks, dealing());
      if (!known->second && result_.best.empty()) note_unfit(s, common);
      if (known->second && !is_valid(c_.job, *known->second, known->second->gpus()))
        known->second.reset();
    }
    return known->second ? &*known->second : nullptr;
  }

  /// Where layers do not fit the memory of their stages: the strategy with layers divided by speed
  /// alone may be the nearest that was met. Of the first such ones, as this is slow.
  void note_unfit(const Strategy& s, const Common& common) {
    constexpr int kMost = 10'000;
    if (++unfit_ > kMost) return;
    Dealing unlimited = dealing();
    unlimited.within_memory = false;
    const auto one = balance(c_, s, *common.way, common.shapes, common.blocks, unlimited);
    if (!one || !is_valid(c_.job, *one, one->gpus())) return;
    tick();
    ++result_.too_large;
    keep_nearest(*one, common, fullest_gpu(c_, *one));
  }
  [[nodiscard]] Dealing dealing() const {
    return {.uneven_layers = space_.uneven_layers, .uneven_batches = space_.uneven_batches};
  }

  /// The same with no more layers computed again than must be, where that is some but not all.
  void partly(Strategy s, const Common& common, std::optional<int>& again) {
    if (result_.stopped) return;
    if (is_too_slow(common.least, common.way)) {
      tick();
      ++result_.too_slow;
      return;
    }
    if (!again) again = fewest_again(s);
    if (*again > 0) {
      s.recompute_layers = *again;
      std::optional<FullestGpu> memory;
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
      return fullest_gpu(c_, s).fits;
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
    // Layers at the edges in a wider precision take longer; in a narrower one they may take less.
    const bool edges = c_.job.has_edges();
    const auto least = [&](const LayerCost& inner, const LayerCost& edge) {
      return edges ? std::min(of(inner), of(edge)) : of(inner);
    };
    const Time all = least(blocks.dense, blocks.edge_dense) * dense +
                     least(blocks.sparse, blocks.edge_sparse) * sparse;
    return Time::picoseconds(all.picoseconds() / s.pp) * micro_batches(c_.job.batch, s);
  }

  /// Whether the bound shows that strategies are not worth a cost: over the GPUs of `way`, or all.
  [[nodiscard]] bool is_too_slow(Time bound, const Pipelines* way) const {
    if (!space_.prune) return false;
    if (space_.longest > 0 && bound.seconds() > space_.longest) return true;
    if (result_.best.size() != static_cast<std::size_t>(space_.top)) return false;
    if (!space_.value) return bound > result_.best.back().step.total;
    if (!space_.least || (way == nullptr && !is_one_type())) return false;
    std::vector<int> gpus{space_.gpus};
    if (way != nullptr) {
      gpus = way->used;
      for (int& count : gpus) count *= way_block_;
    }
    return space_.least(gpus, bound.seconds()) > values_.back();
  }

  void consider(const Strategy& s, const Common& common, Time bound,
                std::optional<FullestGpu>& memory) {
    if (result_.stopped) return;
    tick();
    if (is_too_slow(bound, common.way)) {
      ++result_.too_slow;
      return;
    }
    if (!memory) memory = fullest_gpu(c_, s);
    if (!memory->fits) ++result_.too_large;
    if (!memory->fits && (space_.prune || !result_.best.empty())) {
      keep_nearest(s, common, *memory);
      return;
    }
    Scored scored = cost_of(s, common, *memory);
    ++result_.evaluated;
    if (scored.fits) keep(std::move(scored));
  }

  [[nodiscard]] Scored cost_of(const Strategy& s, const Common& common,
                               const FullestGpu& memory) const {
    Scored scored{
        .strategy = s, .memory = memory.memory, .fits = memory.fits, .fullest = memory.type};
    scored.step =
        step_cost(c_, s, common.shapes, common.blocks, is_one_type() ? nullptr : &scored.computing);
    return scored;
  }

  void keep(Scored&& scored) {
    if (space_.longest > 0 && scored.step.total.seconds() > space_.longest) return;
    auto& best = result_.best;
    const double value = space_.value ? space_.value(scored) : 0;
    const auto at =
        space_.value ? std::ranges::upper_bound(values_, value) - values_.begin()
                     : std::ranges::upper_bound(best, scored.step.total, {}, [](const Scored& s) {
                         return s.step.total;
                       }) - best.begin();
    if (at >= space_.top) return;
    best.insert(best.begin() + at, std::move(scored));
    if (space_.value) values_.insert(values_.begin() + at, value);
    if (best.size() > static_cast<std::size_t>(space_.top)) {
      best.pop_back();
      if (space_.value) values_.pop_back();
    }
    result_.nearest.reset();
  }

  [[nodiscard]] Bytes lacks(const MemoryParts& memory, int type) const {
    return memory.total() - c_.on(type).gpu.gpu.memory;
  }

  void keep_nearest(const Strategy& s, const Common& common, const FullestGpu& memory) {
    if (!result_.best.empty()) return;
    const auto& nearest = result_.nearest;
    if (nearest && lacks(nearest->memory, nearest->fullest) <= lacks(memory.memory, memory.type))
      return;
    result_.nearest = cost_of(s, common, memory);
  }

  // Several types of GPU.

  [[nodiscard]] std::vector<int> all_gpus() const {
    std::vector<int> gpus;
    for (const TypeContext& type : c_.types) gpus.push_back(type.gpus);
    return gpus;
  }

  /// Blocks of tp x cp of so many GPUs of each type; none where a type's nodes cannot be cut so.
  [[nodiscard]] std::vector<int> blocks_on(int tp, int cp, const std::vector<int>& gpus) const {
    std::vector<int> blocks;
    for (std::size_t t = 0; t < gpus.size(); ++t) {
      const int node = c_.types[t].gpus_per_node;
      const bool whole = tp <= node ? node % tp == 0 : tp % node == 0;
      blocks.push_back(whole ? gpus[t] / (tp * cp) : 0);
    }
    return blocks;
  }

  /// Those over the GPUs of each of the counts.
  Ways all_ways(int tp, int cp) {
    Ways ways;
    const auto add = [&](const std::vector<int>& gpus) {
      const std::vector<int> blocks = blocks_on(tp, cp, gpus);
      if (std::ranges::all_of(blocks, [](int n) { return n == 0; })) return;
      const std::vector<Pipelines>* some = &ways_of(blocks);
      if (std::ranges::find(ways, some) == ways.end()) ways.push_back(some);
    };
    if (space_.counts.empty()) add(all_gpus());
    for (const std::vector<int>& gpus : space_.counts) add(gpus);
    return ways;
  }

  const std::vector<Pipelines>& ways_of(const std::vector<int>& blocks) {
    auto [at, is_new] = ways_.try_emplace(blocks);
    if (!is_new) return at->second;
    at->second = pipelines_of(blocks, std::min(c_.job.model.layers, c_.job.batch * 64));
    // With several counts those of fewer types are met where the others have none.
    if (!space_.counts.empty())
      std::erase_if(at->second, [&](const Pipelines& way) {
        for (std::size_t t = 0; t < blocks.size(); ++t)
          if (blocks[t] > 0 && way.used[t] == 0) return true;
        return false;
      });
    return at->second;
  }

  /// Expert groups of every size.
  void experts(Strategy s, const Ways& ways) {
    const int count = c_.job.model.moe ? c_.job.model.moe->experts : 1;
    for (const int etp : {1, s.tp}) {
      if (etp > 1 && !c_.job.model.moe) continue;
      s.etp = etp;
      for (const int ep : divisors(count, count)) {
        if (s.ep_overlap && ep == 1) continue;
        s.ep = ep;
        over_pipelines(s, ways);
        if (result_.stopped) return;
      }
      if (s.tp == 1) break;
    }
  }

  /// Layers per second of a block of each type, what is computed again included or not.
  struct Rates {
    std::vector<double> all{}, once{};
  };

  void over_pipelines(const Strategy& s, const Ways& ways) {
    if (!width_problems(s).empty()) return;
    const TypeBlocks parts = type_blocks(c_, alone(s));
    const Rates rates{layer_rates(parts.blocks, true), layer_rates(parts.blocks, false)};
    const std::vector<int> blocks = blocks_on(s.tp, s.cp, all_gpus());
    if (is_too_slow(whole(all_together(s, blocks, rates.once)), nullptr)) return;
    way_block_ = s.tp * s.cp;
    for (const std::vector<Pipelines>* some : ways) {
      for (const Pipelines& way : *some) {
        if (result_.stopped) return;
        ask();
        if (suits(s, way)) over_types(s, way, parts, rates);
      }
    }
  }

  /// Orders of passes over the stages of a way, and chunks where every replica lies on one type.
  void over_types(Strategy s, const Pipelines& way, const TypeBlocks& parts, const Rates& rates) {
    s.pp = way.pp;
    s.dp = way.dp;
    std::vector<GroupShapes> shapes;
    const bool pure = std::ranges::all_of(way.classes, &PipelineClass::is_pure);
    const auto take = [&] {
      const Time least = whole(bound(s, way, rates.once));
      if (is_too_slow(least, &way)) {
        ++result_.strategies;
        ++result_.too_slow;
        return;
      }
      if (shapes.empty()) shapes = type_shapes(c_, s);
      sharded(s, {.shapes = shapes,
                  .blocks = parts.blocks,
                  .way = &way,
                  .bound = whole(bound(s, way, rates.all)),
                  .least = least});
    };
    using enum PipelineSchedule;
    const int most_front =
        c_.job.model.has_front() ? (c_.job.model.encoder ? s.pp - 1 : s.pp / 2) : 0;
    for (s.tower_stages = 0; s.tower_stages <= most_front; ++s.tower_stages) {
      if (s.pp - s.tower_stages > c_.job.model.layers) continue;
      for (const PipelineSchedule schedule : {one_f_one_b, zero_bubble, dualpipe}) {
        if (schedule == zero_bubble && !(space_.zero_bubble && s.pp > 1)) continue;
        if (schedule == dualpipe && !(space_.dualpipe && s.pp > 1 && pure)) continue;
        s.schedule = schedule;
        take();
      }
    }
    s.tower_stages = 0;
    if (!pure || s.pp == 1 || c_.job.model.layers % s.pp != 0 || !space_.uneven_batches) return;
    s.schedule = interleaved;
    for (const int v : divisors(c_.job.model.layers / s.pp, kMostChunks)) {
      if (v == 1) continue;
      s.interleave = v;
      take();
    }
  }

  /// The strategy's widths without pipeline, with as many replicas as its experts need.
  [[nodiscard]] static Strategy alone(Strategy s) {
    s.pp = s.interleave = 1;
    s.schedule = PipelineSchedule::one_f_one_b;
    s.dp = std::max(1, s.ep * s.etp);
    s.layers.clear();
    s.classes.clear();
    s.tower_stages = 0;
    return s;
  }

  [[nodiscard]] std::vector<Diagnostic> width_problems(const Strategy& s) const {
    const Strategy one = alone(s);
    Job job = c_.job;
    job.batch = one.dp * one.micro_batch;
    return strategy_problems(job, one, one.gpus(), "--fix");
  }

  [[nodiscard]] std::vector<double> layer_rates(const std::vector<Blocks>& blocks,
                                                bool recomputed) const {
    std::vector<double> rates;
    for (const Blocks& b : blocks) {
      const auto pass = [&](const LayerCost& l) {
        const Time both = l.forward.total() + l.backward.total();
        return (recomputed ? both + l.recompute.total() : both).seconds();
      };
      const int sparse = c_.job.model.moe_layers(), all = c_.job.model.layers;
      const double mean = (pass(b.dense) * (all - sparse) + pass(b.sparse) * sparse) / all;
      rates.push_back(1 / mean);
    }
    return rates;
  }

  /// A bound in seconds as a time that is not above it.
  [[nodiscard]] static Time whole(double seconds) {
    return Time::picoseconds(static_cast<std::int64_t>(std::floor(seconds * 1e12)));
  }

  /// All GPUs that take part, each on its best, without ends, bubbles, messages.
  [[nodiscard]] double all_together(const Strategy& s, const std::vector<int>& used,
                                    const std::vector<double>& rates) const {
    double rate = 0;
    for (std::size_t t = 0; t < rates.size(); ++t) rate += used[t] * rates[t];
    return static_cast<double>(c_.job.batch / s.micro_batch) * c_.job.model.layers / rate;
  }

  /// Seconds of the slowest stage of a pipeline with these stages on each type, whatever the layers
  /// of each: the least B with sum of n · floor(B · rate) >= layers. Layers that are not alike
  /// count as if they could be cut.
  [[nodiscard]] double slowest_stage(const std::vector<int>& shares,
                                     const std::vector<double>& rates) const {
    const int layers = c_.job.model.layers, sparse = c_.job.model.moe_layers();
    double rate = 0;
    for (std::size_t t = 0; t < rates.size(); ++t) rate += shares[t] * rates[t];
    double limit = layers / rate;
    if (sparse > 0 && sparse < layers) return limit;
    constexpr double kRounding = 1e-9;
    while (true) {
      double done = 0, next = std::numeric_limits<double>::infinity();
      for (std::size_t t = 0; t < rates.size(); ++t) {
        if (shares[t] == 0) continue;
        const double layers_done = std::floor(limit * rates[t] + kRounding);
        done += shares[t] * layers_done;
        next = std::min(next, (layers_done + 1) / rates[t]);
      }
      if (done >= layers) return limit;
      limit = next;
    }
  }

  /// What no choice of layers and micro-batches is below. A replica does m micro-batches in
  /// m B + (S - B) / v, B its slowest stage, S all layers once on its fastest type, v its chunks;
  /// so in T it does (T - (S - B) / v) / B, and T is where all replicas have done all of them. Even
  /// layers and micro-batches: m times an even share on the slowest type. Schedules that fill their
  /// bubbles: without S - B.
  [[nodiscard]] double bound(const Strategy& s, const Pipelines& way,
                             const std::vector<double>& rates) const {
    const int layers = c_.job.model.layers, micro_batches = c_.job.batch / s.micro_batch;
    const bool even = !space_.uneven_layers && !space_.uneven_batches;
    const bool fills =
        s.schedule == PipelineSchedule::zero_bubble || s.schedule == PipelineSchedule::dualpipe;
    double work = micro_batches, rate = 0, slowest = 0;
    for (std::size_t k = 0; k < way.classes.size(); ++k) {
      double fastest = 0, slow = std::numeric_limits<double>::infinity();
      for (std::size_t t = 0; t < rates.size(); ++t) {
        if (way.shares[k][t] == 0) continue;
        fastest = std::max(fastest, rates[t]);
        slow = std::min(slow, rates[t]);
      }
      const double once = layers / fastest, stage = slowest_stage(way.shares[k], rates);
      if (!fills) work += way.classes[k].replicas * (once / stage - 1) / s.interleave;
      rate += way.classes[k].replicas / stage;
      const int share = layers / (way.pp - s.tower_stages);
      slowest = std::max(slowest, (micro_batches / way.dp - 1) * (share / slow) + once);
    }
    return even && !fills ? std::max(slowest, work / rate) : work / rate;
  }

  /// Micro-batches for every replica, layers for every stage, experts within a class.
  [[nodiscard]] bool suits(const Strategy& s, const Pipelines& way) const {
    if (way.dp > c_.job.batch / s.micro_batch) return false;
    if (!c_.job.model.has_front() && way.pp > c_.job.model.layers) return false;
    return std::ranges::all_of(way.classes, [&](const PipelineClass& one) {
      return one.replicas * s.tp * s.cp % (s.ep * s.etp) == 0;
    });
  }

  /// One set of widths; of pipelines, layers and micro-batches what is given.
  void fixed() {
    const GivenStrategy& fix = *space_.fix;
    const Strategy& s = fix.strategy;
    std::vector<Diagnostic> problems = width_problems(s);
    if (c_.job.batch % s.micro_batch != 0)
      problems.push_back({"", "--fix", "the batch does not divide by micro_batch", ""});
    const bool chunks = s.interleave > 1;
    if (chunks != (s.schedule == PipelineSchedule::interleaved))
      problems.push_back({"", "--fix",
                          fmt::format("interleave {} needs {}", s.interleave,
                                      chunks ? "schedule=interleaved" : "another schedule"),
                          chunks ? "schedule=interleaved" : "schedule=1f1b"});
    if (chunks && !s.layers.empty())
      problems.push_back({"", "--fix", "stages whose layers are given have no chunks",
                          "interleave=1,schedule=1f1b"});
    for (const PipelineClass& one : s.classes)
      for (const int type : one.types)
        if (type >= static_cast<int>(c_.types.size()))
          problems.push_back(
              {"", "--fix",
               fmt::format("there is no GPU type {}; there are A to {}", type_name(type),
                           type_name(static_cast<int>(c_.types.size()) - 1)),
               "stages=A*2/B*2"});
    if (!problems.empty()) throw InputError(std::move(problems));
    const std::vector<int> blocks = blocks_on(s.tp, s.cp, all_gpus());
    std::vector<Pipelines> ways;
    if (s.classes.empty())
      ways = pipelines_of(blocks, fix.given.pp ? s.pp : c_.job.model.layers);
    else
      ways = {given(s, blocks)};
    std::erase_if(ways, [&](const Pipelines& way) {
      const bool pure = std::ranges::all_of(way.classes, &PipelineClass::is_pure);
      if (chunks && (!pure || c_.job.model.layers % (way.pp * s.interleave) != 0)) return true;
      return (fix.given.pp && way.pp != s.pp) || (fix.given.dp && way.dp != s.dp) ||
             way.pp - s.tower_stages > c_.job.model.layers || !suits(s, way);
    });
    for (const Pipelines& way : ways) {
      Strategy one = s;
      one.pp = way.pp;
      one.dp = way.dp;
      one.classes.clear();
      const TypeBlocks parts = type_blocks(c_, one);
      Dealing dealing = this->dealing();
      auto dealt = balance(c_, one, way, parts.shapes, parts.blocks, dealing);
      if (!dealt) {
        dealing.within_memory = false;
        dealt = balance(c_, one, way, parts.shapes, parts.blocks, dealing);
      }
      if (!dealt) continue;
      if (!s.classes.empty() && s.classes.front().micro_batches > 0) give_batches(s, *dealt);
      if (!is_valid(c_.job, *dealt, dealt->gpus())) continue;
      std::optional<FullestGpu> memory;
      consider(*dealt, {.shapes = parts.shapes, .blocks = parts.blocks, .way = &way}, Time(),
               memory);
    }
  }

  /// The classes that --fix names, on all GPUs where it does not say how many replicas.
  [[nodiscard]] Pipelines given(const Strategy& s, const std::vector<int>& blocks) const {
    std::vector<PipelineClass> classes;
    std::vector<int> used(blocks.size(), 0);
    for (const PipelineClass& asked : s.classes) {
      std::vector<int> shares(blocks.size(), 0);
      for (const int type : asked.types) ++shares[static_cast<std::size_t>(type)];
      int replicas = asked.replicas;
      if (replicas == 0) {
        replicas = c_.job.batch;
        for (std::size_t t = 0; t < shares.size(); ++t)
          if (shares[t] > 0) replicas = std::min(replicas, (blocks[t] - used[t]) / shares[t]);
      }
      // Where nothing is left one is asked for all the same, and refused below.
      replicas = std::max(1, replicas);
      for (std::size_t t = 0; t < shares.size(); ++t) used[t] += shares[t] * replicas;
      classes.push_back({.types = asked.types, .replicas = replicas});
    }
    for (std::size_t t = 0; t < used.size(); ++t)
      if (used[t] > blocks[t])
        throw InputError("", "--fix",
                         fmt::format("stages and replicas take {} blocks of tp x cp GPUs of type "
                                     "{}, it has {}",
                                     used[t], type_name(static_cast<int>(t)), blocks[t]),
                         "fewer replicas");
    return made_of(std::move(classes), blocks.size());
  }

  void give_batches(const Strategy& asked, Strategy& s) const {
    for (std::size_t i = 0; i < s.classes.size(); ++i) {
      s.classes[i].micro_batches = asked.classes[i].micro_batches;
      s.classes[i].fewer = 0;
    }
    const int all = c_.job.batch / s.micro_batch;
    const int given = all_micro_batches(c_.job.batch, s), surplus = given - all;
    if (surplus < 0 || surplus >= s.classes.back().replicas)
      throw InputError(
          "", "--fix",
          fmt::format("batches give {} micro-batches to all replicas, a step has {}", given, all),
          "batches left out: they are chosen");
    s.classes.back().fewer = surplus;
  }

  void tick() {
    ++result_.strategies;
    ask();
  }

  /// Every so often whether to go on.
  void ask() {
    // Asking costs more than a strategy on one type does, so it is done seldom.
    constexpr std::uint64_t kEvery = 8192, kEveryOfSeveral = 512;
    const std::uint64_t every = is_one_type() ? kEvery : kEveryOfSeveral;
    if (++asked_ % every == 0 && space_.keep_going && !space_.keep_going(done_))
      result_.stopped = true;
  }

  std::vector<ProductTimes> products_;
  CostContext c_;
  const SearchSpace& space_;
  SearchResult result_;
  std::vector<double> values_;  ///< of the best, where space.value is set
  std::map<std::vector<int>, std::vector<Pipelines>> ways_;
  std::map<std::size_t, std::optional<Strategy>> dealt_;  ///< deal() of one way of sharding
  int way_block_ = 1;                                     ///< GPUs of a tensor and context group
  std::uint64_t asked_ = 0;
  int unfit_ = 0;  ///< strategies of note_unfit
  double done_ = 0;
};

}  // namespace

SearchResult search(const CostContext& context, const SearchSpace& space) {
  return Search(context, space).run();
}

}  // namespace railyard::placement
