#include "placement/mixed/mixed_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/diagnostic.hpp"
#include "placement/strategy/divisors.hpp"
#include "placement/strategy/strategy_check.hpp"

namespace railyard::placement {
namespace {

class MixedSearch {
  using Ways = std::vector<const std::vector<Pipelines>*>;

 public:
  MixedSearch(const MixedContext& c, const MixedSpace& space) : c_(c), space_(space) {}

  MixedResult run() {
    if (space_.fix) {
      fixed();
      return std::move(result_);
    }
    const std::vector<int> tps = tensor_sizes();
    for (std::size_t i = 0; i < tps.size() && !result_.stopped; ++i) {
      done_ = static_cast<double>(i) / static_cast<double>(tps.size());
      widths(tps[i]);
    }
    return std::move(result_);
  }

 private:
  /// Those within a node, widest first, then those beyond it: good ones early make a sharp bound.
  [[nodiscard]] std::vector<int> tensor_sizes() const {
    int node = 1;
    for (const GpuType& type : c_.types) node = std::max(node, type.gpus_per_node());
    std::vector<int> sizes = divisors(c_.job.model.heads, space_.largest_tp);
    const auto beyond = std::ranges::find_if(sizes, [&](int tp) { return tp > node; });
    std::reverse(sizes.begin(), beyond);
    return sizes;
  }

  [[nodiscard]] std::vector<int> all_gpus() const {
    std::vector<int> gpus;
    for (const GpuType& type : c_.types) gpus.push_back(type.gpus());
    return gpus;
  }

  /// Blocks of tp x cp of so many GPUs of each type; none where a type's nodes cannot be cut so.
  [[nodiscard]] std::vector<int> units(int tp, int cp, const std::vector<int>& gpus) const {
    std::vector<int> units;
    for (std::size_t t = 0; t < gpus.size(); ++t) {
      const int nodes_of = c_.types[t].gpus_per_node();
      const bool whole = tp <= nodes_of ? nodes_of % tp == 0 : tp % nodes_of == 0;
      units.push_back(whole ? gpus[t] / (tp * cp) : 0);
    }
    return units;
  }

  [[nodiscard]] std::vector<int> context_sizes() const {
    std::vector<int> sizes{1};
    if (c_.job.model.encoder) return sizes;
    for (const int cp : divisors(c_.job.sequence / 2, 64))
      if (cp > 1) sizes.push_back(cp);
    return sizes;
  }

  void widths(int tp) {
    for (const int cp : context_sizes()) {
      const Ways ways = all_ways(tp, cp);
      if (ways.empty()) continue;
      for (const int micro_batch : divisors(c_.job.batch, space_.largest_micro_batch))
        for (const bool sequence_parallel : {true, false})
          if (tp > 1 || !sequence_parallel)
            passes({.tp = tp,
                    .cp = cp,
                    .micro_batch = micro_batch,
                    .sequence_parallel = sequence_parallel},
                   ways);
    }
  }

  void passes(Strategy s, const Ways& ways) {
    const bool scores = c_.job.attention == AttentionKernel::unfused;
    const int experts = c_.job.model.moe ? c_.job.model.moe->experts : 1;
    for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
      if (recompute == Recompute::selective && !scores) continue;
      s.recompute = recompute;
      for (const bool overlap : {true, false}) {
        if (overlap && (!space_.overlap || s.tp == 1 || !s.sequence_parallel)) continue;
        s.tp_overlap = overlap;
        for (const int ep : divisors(experts, experts)) {
          s.ep = ep;
          along(s, ways);
          if (result_.stopped) return;
        }
      }
    }
  }

  void along(const Strategy& s, const Ways& ways) {
    if (!width_problems(s).empty()) return;
    TypeBlocks blocks = type_blocks(c_, alone(s));
    const std::vector<double> rates = layer_rates(blocks);
    const double fastest = all_together(s, units(s.tp, s.cp, all_gpus()), rates);
    if (space_.prune && (is_too_long(fastest) || (!space_.least && is_worse(fastest)))) return;
    for (const std::vector<Pipelines>* some : ways) {
      for (const Pipelines& way : *some) {
        if (result_.stopped) return;
        tick();
        if (!suits(s, way)) continue;
        if (!is_cut(s, way, rates)) sharded(s, way, blocks);
        if (std::ranges::all_of(way.classes, &PipelineClass::is_pure))
          chunks(s, way, blocks, rates);
      }
    }
  }

  /// Whether the bound says that it is not worth a look.
  [[nodiscard]] bool is_cut(const Strategy& s, const Pipelines& way,
                            const std::vector<double>& rates) const {
    if (!space_.prune) return false;
    const double seconds = bound(s, way, rates);
    if (is_too_long(seconds)) return true;
    if (!space_.least) return is_worse(seconds);
    std::vector<int> gpus = way.used;
    for (int& count : gpus) count *= s.tp * s.cp;
    return is_worse(space_.least(gpus, seconds));
  }
  [[nodiscard]] bool is_too_long(double seconds) const {
    return space_.longest > 0 && seconds > space_.longest;
  }

  /// Interleaved stages, where every replica lies on one type.
  void chunks(Strategy s, const Pipelines& way, TypeBlocks& blocks,
              const std::vector<double>& rates) {
    if (way.pp == 1 || c_.job.model.layers % way.pp != 0 || !space_.uneven_batches) return;
    s.schedule = PipelineSchedule::interleaved;
    for (const int v : divisors(c_.job.model.layers / way.pp, 16)) {
      if (v == 1) continue;
      s.interleave = v;
      if (is_cut(s, way, rates)) continue;
      for (const bool overlap : {true, false}) {
        if (overlap && !space_.overlap) continue;
        s.pp_overlap = overlap;
        sharded(s, way, blocks);
      }
    }
  }

  /// The strategy's widths without pipeline, with as many replicas as its experts need.
  [[nodiscard]] static Strategy alone(Strategy s) {
    s.pp = s.interleave = 1;
    s.schedule = PipelineSchedule::one_f_one_b;
    s.dp = std::max(1, s.ep * s.etp);
    s.layers.clear();
    s.tower_stages = 0;
    return s;
  }

  [[nodiscard]] std::vector<Diagnostic> width_problems(const Strategy& s) const {
    const Strategy one = alone(s);
    Job job = c_.job;
    job.batch = one.dp * one.micro_batch;
    return strategy_problems(job, one, one.gpus(), "--fix");
  }

  /// Layers per second of a block of each type.
  [[nodiscard]] std::vector<double> layer_rates(const TypeBlocks& blocks) const {
    std::vector<double> rates;
    for (const Blocks& b : blocks.blocks) {
      const auto pass = [&](const LayerCost& l) {
        return (l.forward.total() + l.backward.total() + l.recompute.total()).seconds();
      };
      const int sparse = c_.job.model.moe_layers(), all = c_.job.model.layers;
      const double mean = (pass(b.dense) * (all - sparse) + pass(b.sparse) * sparse) / all;
      rates.push_back(1 / mean);
    }
    return rates;
  }

  /// What is made smallest.
  [[nodiscard]] double value(const MixedScored& scored) const {
    return space_.value ? space_.value(scored) : scored.step.total.seconds();
  }

  [[nodiscard]] bool is_worse(double least) const {
    return result_.best.size() == static_cast<std::size_t>(space_.top) && least > values_.back();
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
        const double whole = std::floor(limit * rates[t] + kRounding);
        done += shares[t] * whole;
        next = std::min(next, (whole + 1) / rates[t]);
      }
      if (done >= layers) return limit;
      limit = next;
    }
  }

  /// What no choice of layers and micro-batches is below. A replica does m micro-batches in
  /// m B + (S - B) / v, B its slowest stage, S all layers once on its fastest type, v its chunks;
  /// so in T it does (T - (S - B) / v) / B, and T is where all replicas have done all of them. Even
  /// layers and micro-batches: m times an even share on the slowest type.
  [[nodiscard]] double bound(const Strategy& s, const Pipelines& way,
                             const std::vector<double>& rates) const {
    const int layers = c_.job.model.layers, micro_batches = c_.job.batch / s.micro_batch;
    const bool even = !space_.uneven_layers && !space_.uneven_batches;
    double work = micro_batches, rate = 0, slowest = 0;
    for (std::size_t k = 0; k < way.classes.size(); ++k) {
      double fastest = 0, slow = std::numeric_limits<double>::infinity();
      for (std::size_t t = 0; t < rates.size(); ++t) {
        if (way.shares[k][t] == 0) continue;
        fastest = std::max(fastest, rates[t]);
        slow = std::min(slow, rates[t]);
      }
      const double once = layers / fastest, stage = slowest_stage(way.shares[k], rates);
      work += way.classes[k].replicas * (once / stage - 1) / s.interleave;
      rate += way.classes[k].replicas / stage;
      const int share = layers / (way.pp - s.tower_stages);
      slowest = std::max(slowest, (micro_batches / way.dp - 1) * (share / slow) + once);
    }
    return even ? std::max(slowest, work / rate) : work / rate;
  }

  /// Micro-batches for every replica, layers for every stage, experts within a class.
  [[nodiscard]] bool suits(const Strategy& s, const Pipelines& way) const {
    if (way.dp > c_.job.batch / s.micro_batch || way.pp - s.tower_stages > c_.job.model.layers)
      return false;
    return std::ranges::all_of(way.classes, [&](const PipelineClass& one) {
      return one.replicas * s.tp * s.cp % (s.ep * s.etp) == 0;
    });
  }

  void sharded(Strategy s, const Pipelines& way, TypeBlocks& blocks) {
    s.pp = way.pp;
    s.dp = way.dp;
    blocks.shapes = type_shapes(c_, s);
    // ZeRO 2 and 3 shard what micro-batches of a pipeline accumulate: only without stages.
    const int most = s.replicas() == 1 ? 0 : s.pp == 1 ? 3 : 1;
    for (s.zero = 0; s.zero <= most; ++s.zero) {
      const auto mixed = balance(c_, s, way, blocks, space_);
      if (!mixed) continue;
      for (const bool overlap : {true, false}) {
        if (overlap && (!space_.overlap || s.replicas() == 1)) continue;
        MixedStrategy one = *mixed;
        one.strategy.dp_overlap = overlap;
        consider(mixed_cost(c_, one, blocks));
      }
    }
  }

  void consider(const MixedScored& scored) {
    ++result_.evaluated;
    if (!scored.fits) {
      const auto lacks = [&](const MixedScored& m) {
        return m.memory.total() - c_.types[static_cast<std::size_t>(m.fullest)].gpu.gpu.memory;
      };
      if (result_.best.empty() && (!result_.nearest || lacks(scored) < lacks(*result_.nearest)))
        result_.nearest = scored;
      return;
    }
    if (is_too_long(scored.step.total.seconds())) return;
    auto& best = result_.best;
    const double its = value(scored);
    const auto at = std::ranges::upper_bound(values_, its) - values_.begin();
    if (at >= space_.top) return;
    values_.insert(values_.begin() + at, its);
    best.insert(best.begin() + at, scored);
    if (best.size() > static_cast<std::size_t>(space_.top)) {
      best.pop_back();
      values_.pop_back();
    }
    result_.nearest.reset();
  }

  /// One set of widths; of pipelines, layers and micro-batches what is given.
  void fixed() {
    const MixedFix& fix = *space_.fix;
    const Strategy& s = fix.strategy;
    std::vector<Diagnostic> problems = width_problems(s);
    if (c_.job.batch % s.micro_batch != 0)
      problems.push_back({"", "--fix", "the batch does not divide by micro_batch", ""});
    const bool chunks = s.interleave > 1;
    if (s.schedule != (chunks ? PipelineSchedule::interleaved : PipelineSchedule::one_f_one_b))
      problems.push_back({"", "--fix", "pipelines over several types are 1f1b or interleaved",
                          chunks ? "schedule=interleaved" : "schedule=1f1b"});
    if (chunks && !s.layers.empty())
      problems.push_back({"", "--fix", "stages whose layers are given have no chunks",
                          "interleave=1,schedule=1f1b"});
    if (!problems.empty()) throw InputError(std::move(problems));
    const std::vector<int> blocks = units(s.tp, s.cp, all_gpus());
    std::vector<Pipelines> ways = pipelines_of(blocks, fix.has_pp ? s.pp : c_.job.model.layers);
    if (!fix.stages.empty()) ways = {given(fix, blocks)};
    std::erase_if(ways, [&](const Pipelines& way) {
      const bool pure = std::ranges::all_of(way.classes, &PipelineClass::is_pure);
      if (chunks && (!pure || c_.job.model.layers % (way.pp * s.interleave) != 0)) return true;
      return (fix.has_pp && way.pp != s.pp) || (fix.has_dp && way.dp != s.dp) || !suits(s, way);
    });
    for (const Pipelines& way : ways) {
      Strategy one = s;
      one.pp = way.pp;
      one.dp = way.dp;
      const TypeBlocks parts = type_blocks(c_, one);
      auto mixed = balance(c_, one, way, parts, space_);
      if (!mixed) continue;
      if (!fix.batches.empty()) give_batches(fix, *mixed);
      tick();
      consider(mixed_cost(c_, *mixed, parts));
    }
  }

  /// The classes that --fix names, on all GPUs where it does not say how many replicas.
  [[nodiscard]] Pipelines given(const MixedFix& fix, const std::vector<int>& blocks) const {
    std::vector<PipelineClass> classes;
    std::vector<int> used(blocks.size(), 0);
    for (std::size_t i = 0; i < fix.stages.size(); ++i) {
      std::vector<int> shares(blocks.size(), 0);
      for (const int type : fix.stages[i]) ++shares[static_cast<std::size_t>(type)];
      int replicas = fix.replicas.empty() ? c_.job.batch : fix.replicas[i];
      if (fix.replicas.empty())
        for (std::size_t t = 0; t < shares.size(); ++t)
          if (shares[t] > 0) replicas = std::min(replicas, (blocks[t] - used[t]) / shares[t]);
      // Where nothing is left one is asked for all the same, and refused below.
      replicas = std::max(1, replicas);
      for (std::size_t t = 0; t < shares.size(); ++t) used[t] += shares[t] * replicas;
      classes.push_back({.types = fix.stages[i], .replicas = replicas});
    }
    for (std::size_t t = 0; t < used.size(); ++t)
      if (used[t] > blocks[t])
        throw InputError("", "--fix",
                         "stages and replicas take " + std::to_string(used[t]) +
                             " blocks of tp x cp GPUs of type " + type_name(static_cast<int>(t)) +
                             ", it has " + std::to_string(blocks[t]),
                         "fewer replicas");
    return made_of(std::move(classes), blocks.size());
  }

  void give_batches(const MixedFix& fix, MixedStrategy& mixed) const {
    for (std::size_t i = 0; i < mixed.classes.size(); ++i) {
      mixed.classes[i].micro_batches = fix.batches[i];
      mixed.classes[i].fewer = 0;
    }
    const int all = c_.job.batch / mixed.strategy.micro_batch;
    const int surplus = mixed.micro_batches() - all;
    if (surplus < 0 || surplus >= mixed.classes.back().replicas)
      throw InputError("", "--fix",
                       "batches give " + std::to_string(mixed.micro_batches()) +
                           " micro-batches to all replicas, a step has " + std::to_string(all),
                       "batches left out: they are chosen");
    mixed.classes.back().fewer = surplus;
  }

  /// Those over the GPUs of each of the counts.
  Ways all_ways(int tp, int cp) {
    Ways ways;
    const auto add = [&](const std::vector<int>& gpus) {
      const std::vector<int> blocks = units(tp, cp, gpus);
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

  void tick() {
    constexpr std::uint64_t kEvery = 512;
    if (++result_.ways % kEvery == 0 && space_.keep_going && !space_.keep_going(done_))
      result_.stopped = true;
  }

  const MixedContext& c_;
  const MixedSpace& space_;
  MixedResult result_;
  std::vector<double> values_;  ///< of the best
  std::map<std::vector<int>, std::vector<Pipelines>> ways_;
  double done_ = 0;
};

}  // namespace

MixedResult search_mixed(const MixedContext& context, const MixedSpace& space) {
  return MixedSearch(context, space).run();
}

}  // namespace railyard::placement
