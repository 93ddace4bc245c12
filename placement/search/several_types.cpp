#include "placement/search/several_types.hpp"

#include <algorithm>
#include <map>

#include "core/diagnostic.hpp"
#include "placement/search/evaluation.hpp"
#include "placement/search/type_bounds.hpp"
#include "placement/search/width_loop.hpp"
#include "placement/strategy/divisors.hpp"
#include "placement/strategy/strategy_check.hpp"

namespace railyard::placement {
namespace {

constexpr int kLargestContext = 64;
constexpr int kMostChunks = 16;

/// The strategy's widths without a pipeline, with as many replicas as its experts need.
Strategy without_pipeline(Strategy s) {
  s.pp = s.interleave = 1;
  s.schedule = PipelineSchedule::one_f_one_b;
  s.dp = std::max(1, s.ep * s.etp);
  s.layers.clear();
  s.classes.clear();
  s.tower_stages = 0;
  return s;
}

class SeveralTypesSearch {
  using PipelineLists = std::vector<const std::vector<Pipelines>*>;

 public:
  SeveralTypesSearch(const CostContext& context, const SearchSpace& space, Shortlist& shortlist)
      : context_(context),
        job_(context.job),
        space_(space),
        shortlist_(shortlist),
        evaluation_(context, space, shortlist) {}

  void run() {
    run_width_loop(context_, space_, shortlist_,
                   {.tensor = tensor_widths(),
                    .context = [&](int) { return context_widths(); },
                    .has_pipelines =
                        [&](int tp, int cp) {
                          lists_ = pipeline_lists(tp, cp);
                          return !lists_.empty();
                        },
                    .search = [&](const Strategy& widths) { expert_widths(widths); }});
  }

 private:
  /// Widths inside a node first, widest first: good strategies found early tighten the bound.
  [[nodiscard]] std::vector<int> tensor_widths() const {
    int node = 1;
    for (const TypeContext& type : context_.types) node = std::max(node, type.gpus_per_node);
    std::vector<int> widths = divisors(job_.model.heads, space_.largest_tp);
    std::reverse(widths.begin(), std::ranges::find_if(widths, [&](int tp) { return tp > node; }));
    return widths;
  }

  [[nodiscard]] std::vector<int> context_widths() const {
    std::vector<int> widths = divisors(job_.sequence / 2, kLargestContext);
    if (widths.empty() || widths.front() != 1) widths.insert(widths.begin(), 1);
    return widths;
  }

  /// Pipelines for each allowed number of GPUs.
  PipelineLists pipeline_lists(int tp, int cp) {
    PipelineLists lists;
    const auto add = [&](const std::vector<int>& gpus) {
      const std::vector<int> groups = groups_by_type(context_, tp, cp, gpus);
      if (std::ranges::all_of(groups, [](int n) { return n == 0; })) return;
      const std::vector<Pipelines>* list = &pipelines_over(groups);
      if (std::ranges::find(lists, list) == lists.end()) lists.push_back(list);
    };
    if (space_.counts.empty()) add(usable_gpus(context_));
    for (const std::vector<int>& gpus : space_.counts) add(gpus);
    return lists;
  }

  const std::vector<Pipelines>& pipelines_over(const std::vector<int>& groups) {
    auto [at, is_new] = pipelines_.try_emplace(groups);
    if (!is_new) return at->second;
    at->second = pipelines_of(groups, std::min(job_.model.layers, job_.batch * 64));
    // Pipelines that omit a type are enumerated with the numbers of GPUs that omit it.
    if (!space_.counts.empty())
      std::erase_if(at->second, [&](const Pipelines& pipelines) {
        for (std::size_t t = 0; t < groups.size(); ++t)
          if (groups[t] > 0 && pipelines.used[t] == 0) return true;
        return false;
      });
    return at->second;
  }

  void expert_widths(Strategy s) {
    const int count = job_.model.moe ? job_.model.moe->experts : 1;
    for (const int etp : {1, s.tp}) {
      if (etp > 1 && !job_.model.moe) continue;
      s.etp = etp;
      for (const int ep : divisors(count, count)) {
        if (s.ep_overlap && ep == 1) continue;
        s.ep = ep;
        all_pipelines(s);
        if (shortlist_.is_stopped()) return;
      }
      if (s.tp == 1) break;
    }
  }

  void all_pipelines(const Strategy& s) {
    if (!width_problems(job_, s).empty()) return;
    const TypeBlocks parts = type_blocks(context_, without_pipeline(s));
    const LayerRates rates = layer_rates(job_.model, parts.blocks);
    const std::vector<int> groups = groups_by_type(context_, s.tp, s.cp, usable_gpus(context_));
    const Time least = time_rounded_down(bound_of_groups(job_, s, groups, rates.once));
    if (shortlist_.is_too_slow(least, s, nullptr)) return;
    for (const std::vector<Pipelines>* list : lists_) {
      for (const Pipelines& pipelines : *list) {
        if (shortlist_.is_stopped()) return;
        shortlist_.poll();
        if (divides_job(job_, s, pipelines)) schedules(s, pipelines, parts, rates);
      }
    }
  }

  /// Tries the schedules of these pipelines, with chunks if every replica uses one type.
  void schedules(Strategy s, const Pipelines& pipelines, const TypeBlocks& parts,
                 const LayerRates& rates) {
    s.pp = pipelines.pp;
    s.dp = pipelines.dp;
    std::vector<GroupShapes> shapes;
    const bool is_pure = std::ranges::all_of(pipelines.classes, &PipelineClass::is_pure);
    const auto evaluate = [&] { this->evaluate(s, pipelines, parts, rates, shapes); };
    using enum PipelineSchedule;
    const int most_tower_stages =
        job_.model.has_front() ? (job_.model.encoder ? s.pp - 1 : s.pp / 2) : 0;
    for (s.tower_stages = 0; s.tower_stages <= most_tower_stages; ++s.tower_stages) {
      if (s.pp - s.tower_stages > job_.model.layers) continue;
      for (const PipelineSchedule schedule : {one_f_one_b, zero_bubble, dualpipe}) {
        if (schedule == zero_bubble && !(space_.zero_bubble && s.pp > 1)) continue;
        if (schedule == dualpipe && !(space_.dualpipe && s.pp > 1 && is_pure)) continue;
        s.schedule = schedule;
        evaluate();
      }
    }
    s.tower_stages = 0;
    if (!is_pure || s.pp == 1 || job_.model.layers % s.pp != 0 || !space_.uneven_batches) return;
    s.schedule = interleaved;
    for (const int chunks : divisors(job_.model.layers / s.pp, kMostChunks)) {
      if (chunks == 1) continue;
      s.interleave = chunks;
      evaluate();
    }
  }

  /// `shapes`: computed once for all schedules of the same pipelines.
  void evaluate(const Strategy& s, const Pipelines& pipelines, const TypeBlocks& parts,
                const LayerRates& rates, std::vector<GroupShapes>& shapes) {
    const auto bound = [&](const std::vector<double>& by_type) {
      return time_rounded_down(bound_of_pipelines(job_, space_, s, pipelines, by_type));
    };
    const Time least = bound(rates.once);
    if (shortlist_.is_too_slow(least, s, &pipelines)) {
      shortlist_.count_too_slow_family();
      return;
    }
    if (shapes.empty()) shapes = type_shapes(context_, s);
    evaluation_.evaluate(s, {.shapes = shapes,
                             .blocks = parts.blocks,
                             .pipelines = &pipelines,
                             .bound = bound(rates.recomputed),
                             .least_bound = least});
  }

  const CostContext& context_;
  const Job& job_;
  const SearchSpace& space_;
  Shortlist& shortlist_;
  Evaluation evaluation_;
  std::map<std::vector<int>, std::vector<Pipelines>> pipelines_;  ///< by groups of each type
  PipelineLists lists_;  ///< for the current tensor and context width
};

}  // namespace

std::vector<int> usable_gpus(const CostContext& context) {
  std::vector<int> gpus;
  for (const TypeContext& type : context.types) gpus.push_back(type.gpus);
  return gpus;
}

std::vector<int> groups_by_type(const CostContext& context, int tp, int cp,
                                const std::vector<int>& gpus) {
  std::vector<int> groups;
  for (std::size_t t = 0; t < gpus.size(); ++t) {
    const int node = context.types[t].gpus_per_node;
    const bool divides = tp <= node ? node % tp == 0 : tp % node == 0;
    groups.push_back(divides ? gpus[t] / (tp * cp) : 0);
  }
  return groups;
}

bool divides_job(const Job& job, const Strategy& s, const Pipelines& pipelines) {
  if (pipelines.dp > job.batch / s.micro_batch) return false;
  if (!job.model.has_front() && pipelines.pp > job.model.layers) return false;
  return std::ranges::all_of(pipelines.classes, [&](const PipelineClass& one) {
    return one.replicas * s.tp * s.cp % (s.ep * s.etp) == 0;
  });
}

std::vector<Diagnostic> width_problems(const Job& job, const Strategy& strategy) {
  const Strategy widths = without_pipeline(strategy);
  Job one_step = job;
  one_step.batch = widths.dp * widths.micro_batch;
  return strategy_problems(one_step, widths, widths.gpus(), "--fix");
}

void search_several_types(const CostContext& context, const SearchSpace& space,
                          Shortlist& shortlist) {
  SeveralTypesSearch(context, space, shortlist).run();
}

}  // namespace railyard::placement
