#include "placement/search/fixed_strategy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostic.hpp"
#include "placement/cost/gpu_type.hpp"
#include "placement/search/evaluation.hpp"
#include "placement/search/several_types.hpp"
#include "placement/strategy/strategy_check.hpp"

namespace railyard::placement {
namespace {

void check(const CostContext& context, const Strategy& s) {
  std::vector<Diagnostic> problems = width_problems(context.job, s);
  const auto add = [&](std::string message, std::string hint) {
    problems.push_back({"", "--fix", std::move(message), std::move(hint)});
  };
  if (context.job.batch % s.micro_batch != 0) add("the batch does not divide by micro_batch", "");
  const bool has_chunks = s.interleave > 1;
  if (has_chunks != (s.schedule == PipelineSchedule::interleaved))
    add(fmt::format("interleave {} needs {}", s.interleave,
                    has_chunks ? "schedule=interleaved" : "another schedule"),
        has_chunks ? "schedule=interleaved" : "schedule=1f1b");
  if (has_chunks && !s.layers.empty())
    add("stages whose layers are given have no chunks", "interleave=1,schedule=1f1b");
  const int types = static_cast<int>(context.types.size());
  for (const PipelineClass& one : s.classes)
    for (const int type : one.types)
      if (type >= types)
        add(fmt::format("there is no GPU type {}; there are A to {}", type_name(type),
                        type_name(types - 1)),
            "stages=A*2/B*2");
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// The most replicas of a pipeline with shares[t] groups of each type, on unused groups.
int most_replicas(int limit, std::span<const int> shares, std::span<const int> groups,
                  std::span<const int> used) {
  int replicas = limit;
  for (std::size_t t = 0; t < shares.size(); ++t)
    if (shares[t] > 0) replicas = std::min(replicas, (groups[t] - used[t]) / shares[t]);
  return replicas;
}

/// The classes of --fix. A class without a number of replicas uses all unused GPUs.
Pipelines given_pipelines(const CostContext& context, const Strategy& s,
                          const std::vector<int>& groups) {
  std::vector<PipelineClass> classes;
  std::vector<int> used(groups.size(), 0);
  for (const PipelineClass& given : s.classes) {
    std::vector<int> shares(groups.size(), 0);
    for (const int type : given.types) ++shares[static_cast<std::size_t>(type)];
    const int replicas = given.replicas > 0
                             ? given.replicas
                             : most_replicas(context.job.batch, shares, groups, used);
    // A class without GPUs counts one replica, so that the check below rejects it.
    classes.push_back({.types = given.types, .replicas = std::max(1, replicas)});
    for (std::size_t t = 0; t < shares.size(); ++t) used[t] += shares[t] * classes.back().replicas;
  }
  for (std::size_t t = 0; t < used.size(); ++t)
    if (used[t] > groups[t])
      throw InputError("", "--fix",
                       fmt::format("stages and replicas need {} groups of tp x cp GPUs of type {}, "
                                   "which has {}",
                                   used[t], type_name(static_cast<int>(t)), groups[t]),
                       "fewer replicas");
  return pipelines_of_classes(std::move(classes), groups.size());
}

/// Sets the micro-batches per replica of --fix. The last replicas get one fewer if the batch is
/// smaller.
void set_batches(const Job& job, const Strategy& given, Strategy& s) {
  for (std::size_t i = 0; i < s.classes.size(); ++i) {
    s.classes[i].micro_batches = given.classes[i].micro_batches;
    s.classes[i].fewer = 0;
  }
  const int needed = job.batch / s.micro_batch;
  const int all = all_micro_batches(job.batch, s), surplus = all - needed;
  if (surplus < 0 || surplus >= s.classes.back().replicas)
    throw InputError("", "--fix",
                     fmt::format("batches give {} micro-batches to all replicas, but a step has {}",
                                 all, needed),
                     "no batches: the search chooses them");
  s.classes.back().fewer = surplus;
}

/// Pipelines that match the given dimensions.
std::vector<Pipelines> candidates(const CostContext& context, const GivenStrategy& fix) {
  const Strategy& s = fix.strategy;
  const int layers = context.job.model.layers;
  const std::vector<int> groups = groups_by_type(context, s.tp, s.cp, usable_gpus(context));
  if (!s.classes.empty()) {
    Pipelines one = given_pipelines(context, s, groups);
    return {std::move(one)};
  }
  return pipelines_of(groups, fix.given.pp ? s.pp : layers);
}

bool agrees(const Job& job, const GivenStrategy& fix, const Pipelines& pipelines) {
  const Strategy& s = fix.strategy;
  const int layers = job.model.layers;
  const bool is_pure = std::ranges::all_of(pipelines.classes, &PipelineClass::is_pure);
  if (s.interleave > 1 && (!is_pure || layers % (pipelines.pp * s.interleave) != 0)) return false;
  if (fix.given.pp && pipelines.pp != s.pp) return false;
  if (fix.given.dp && pipelines.dp != s.dp) return false;
  return pipelines.pp - s.tower_stages <= layers && divides_job(job, s, pipelines);
}

}  // namespace

void consider_fixed(const CostContext& context, const SearchSpace& space, Shortlist& shortlist) {
  const Job& job = context.job;
  const Strategy& s = space.fix->strategy;
  check(context, s);
  for (const Pipelines& pipelines : candidates(context, *space.fix)) {
    if (!agrees(job, *space.fix, pipelines)) continue;
    Strategy one = s;
    one.pp = pipelines.pp;
    one.dp = pipelines.dp;
    one.classes.clear();
    const TypeBlocks parts = type_blocks(context, one);
    BalanceOptions options = balance_options(space);
    auto balanced = balance(context, one, pipelines, parts.shapes, parts.blocks, options);
    if (!balanced) {
      options.within_memory = false;
      balanced = balance(context, one, pipelines, parts.shapes, parts.blocks, options);
    }
    if (!balanced) continue;
    if (!s.classes.empty() && s.classes.front().micro_batches > 0) set_batches(job, s, *balanced);
    if (!is_valid(job, *balanced, balanced->gpus())) {
      if (s.classes.empty()) continue;
      throw InputError(strategy_problems(job, *balanced, balanced->gpus(), "--fix"));
    }
    std::optional<FullestGpu> memory;
    shortlist.consider(*balanced, parts.shapes, parts.blocks, &pipelines, Time(), memory);
  }
}

}  // namespace railyard::placement
