#include "placement/jobs/queue_arrangement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/diagnostic.hpp"
#include "topology/cluster/rank_list.hpp"

namespace railyard::placement {

namespace {

/// Whether each type has enough free GPUs.
bool has_room(const PlaceProblem& problem, std::span<const int> gpus) {
  for (std::size_t t = 0; t < gpus.size(); ++t)
    if (problem.types[t].free.size() < static_cast<std::size_t>(gpus[t])) return false;
  return true;
}

}  // namespace

ArrivingJob arriving_job(const std::string& name, GivenProblem given, CandidateRequest request) {
  PlaceProblem& problem = given.problem;
  request.given = given.strategy;
  const Mapper mapper(problem, true);
  const SimulatedStrategy found = find_candidates(request, problem, mapper).front();
  const Strategy& strategy = found.scored.strategy;
  if (!found.scored.fits)
    throw InputError(
        "", "",
        fmt::format("{}: no strategy fits {} GPUs; the nearest is {}: {}", name, problem.gpus(),
                    to_text(strategy), bound_by(problem.context(), found.scored)),
        "more GPUs");
  const double alone = choose_nodes(problem, request.engines, strategy).step().seconds();
  return {.name = name, .problem = std::move(problem), .strategy = strategy, .step_alone = alone};
}

PlaceProblem beside_others(std::span<const ArrivingJob> jobs, const QueueArrangement& placed,
                           std::size_t index) {
  PlaceProblem problem = jobs[index].problem;
  Occupancy occupancy = problem.occupancy;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (i == index || placed.mappings[i].size() == 0) continue;
    RunningJob tenant;
    tenant.name = jobs[i].name;
    tenant.gpus = topology::rank_list_text(placed.mappings[i].gpus);
    occupancy.jobs.push_back(std::move(tenant));
    const auto traffic = traffic_per_second(jobs[i].problem.job, jobs[i].strategy,
                                            placed.mappings[i], placed.steps[i]);
    problem.other_traffic.insert(problem.other_traffic.end(), traffic.begin(), traffic.end());
  }
  return with_occupancy(std::move(problem), std::move(occupancy));
}

QueueArrangement arrange(std::span<const ArrivingJob> jobs, const EngineFactory& engines,
                         std::span<const std::size_t> order) {
  QueueArrangement placed{.mappings = std::vector<Mapping>(jobs.size()),
                          .steps = std::vector<double>(jobs.size(), 0)};
  for (const std::size_t i : order) {
    PlaceProblem problem = beside_others(jobs, placed, i);
    const std::vector<int> gpus = gpus_used(jobs[i].strategy, problem.types.size());
    if (!has_room(problem, gpus)) continue;
    Occupancy occupancy = problem.occupancy;
    problem = with_occupancy(std::move(problem), std::move(occupancy), gpus);
    NodeChoice choice = choose_nodes(problem, engines, jobs[i].strategy);
    placed.steps[i] = choice.step().seconds();
    placed.mappings[i] = std::move(choice.mapping);
    ++placed.placed;
  }
  // Jobs placed later also slow down earlier ones.
  std::vector<double> together = placed.steps;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (placed.mappings[i].size() == 0) continue;
    const PlaceProblem problem = beside_others(jobs, placed, i);
    together[i] =
        fastest_of(problem, engines, jobs[i].strategy, {placed.mappings[i]}).step().seconds();
    placed.lost_gpus += jobs[i].strategy.gpus() * (1 - jobs[i].step_alone / together[i]);
  }
  placed.steps = together;
  return placed;
}

QueueArrangement arrange_queue(std::span<const ArrivingJob> jobs, const EngineFactory& engines) {
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  QueueArrangement best = arrange(jobs, engines, order);
  std::vector<std::size_t> largest_first = order;
  std::ranges::stable_sort(largest_first, std::ranges::greater{},
                           [&](std::size_t i) { return jobs[i].strategy.gpus(); });
  if (largest_first == order) return best;
  QueueArrangement other = arrange(jobs, engines, largest_first);
  const bool is_better = other.placed != best.placed
                             ? other.placed > best.placed
                             : other.lost_gpus < best.lost_gpus * (1 - 1e-9);
  return is_better ? other : best;
}

}  // namespace railyard::placement
