#include "placement/jobs/start_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "placement/jobs/leaf_groups.hpp"
#include "placement/jobs/taken_gpus.hpp"

namespace railyard::placement {
namespace {

/// Number of ends of running jobs after which a start is simulated.
constexpr std::size_t kMostEnds = 12;

/// The occupancy without the jobs that end up to this time.
Occupancy after_ends(Occupancy occupancy, Time at) {
  std::erase_if(occupancy.jobs, [&](const Tenant& t) { return t.left && *t.left <= at; });
  return occupancy;
}

StartOption start_at(const PlaceProblem& problem, const EngineFactory& engines,
                     const Strategy& strategy, double wait, std::optional<double> steps) {
  const NodeChoice choice = choose_nodes(problem, engines, strategy);
  const Tiers tiers(problem.cluster);
  StartOption start{.wait = wait,
                    .free_gpus = problem.free().size(),
                    .leaf_groups = count_leaf_groups(tiers, choice.mapping.gpus),
                    .nodes = node_list(problem.cluster, choice.mapping.gpus),
                    .step = choice.step().seconds()};
  if (steps) start.done = wait + *steps * start.step;
  return start;
}

}  // namespace

std::vector<JobEnd> job_ends(const Occupancy& occupancy) {
  std::vector<JobEnd> ends;
  for (std::size_t t = 0; t < occupancy.jobs.size(); ++t)
    if (const auto& left = occupancy.jobs[t].left) ends.push_back({*left, t});
  std::ranges::stable_sort(ends, {}, &JobEnd::at);
  return ends;
}

std::vector<StartOption> start_options(const PlaceProblem& problem, const EngineFactory& engines,
                                       const Strategy& strategy, std::optional<double> steps) {
  const std::vector<int> gpus = gpus_used(strategy, problem.types.size());
  std::vector<StartOption> starts{start_at(problem, engines, strategy, 0, steps)};
  const double now = starts.front().step;
  double best = now;
  std::vector<JobEnd> ends = job_ends(problem.occupancy);
  if (ends.size() > kMostEnds) ends.resize(kMostEnds);
  for (const JobEnd& end : ends) {
    const PlaceProblem then = with_occupancy(problem, after_ends(problem.occupancy, end.at), gpus);
    StartOption start = start_at(then, engines, strategy, end.at.seconds(), steps);
    if (start.step >= best * (1 - 1e-6)) continue;
    best = start.step;
    start.after = problem.occupancy.jobs[end.tenant].name;
    start.break_even = start.wait / (1 - start.step / now);
    starts.push_back(std::move(start));
  }
  return starts;
}

std::optional<FreeAt> when_free(const topology::Cluster& cluster, const Occupancy& occupancy,
                                std::size_t free, std::size_t wanted) {
  for (const JobEnd& end : job_ends(occupancy)) {
    const Tenant& tenant = occupancy.jobs[end.tenant];
    free += gpus_of(cluster, tenant.nodes, tenant.gpus).size();
    if (free >= wanted) return FreeAt{.at = end.at, .job = tenant.name, .gpus = free};
  }
  return std::nullopt;
}

std::string when_free_text(const topology::Cluster& cluster, const Occupancy& occupancy,
                           std::size_t free, std::size_t wanted) {
  constexpr double kHour = 3600;
  const auto at = when_free(cluster, occupancy, free, wanted);
  if (!at) return {};
  return fmt::format("{} are free in {:.1f} h, when {} ends", at->gpus, at->at.seconds() / kHour,
                     at->job);
}

}  // namespace railyard::placement
