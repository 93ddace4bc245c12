#include "placement/capacity/training/training_cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostic.hpp"
#include "core/parallel.hpp"
#include "placement/capacity/budget/network_power.hpp"
#include "placement/jobs/candidates.hpp"
#include "placement/jobs/elastic_options.hpp"
#include "placement/search/search.hpp"

namespace railyard::placement {
namespace {

/// Why the model does not fit: the missing memory of the nearest strategy, and a larger number of
/// GPUs with one that fits.
std::string why_too_large(const PlaceProblem& problem, const Scored& nearest) {
  std::string text =
      fmt::format("{:.1f} GB too much for a GPU",
                  (nearest.memory.total() - problem.types.front().gpu.gpu.memory).gigabytes());
  // With several types each further search would take as long as the first.
  const int kMostTimes = problem.types.size() == 1 ? 64 : 1;
  for (int gpus = 2 * problem.gpus(); gpus <= kMostTimes * problem.gpus(); gpus *= 2)
    if (!search(problem.context(), {.gpus = gpus, .top = 1, .keep_going = {}}).best.empty())
      return fmt::format("{}; it fits on {} such GPUs", text, gpus);
  return text;
}

/// The fastest strategy by formula with the batch in proportion to the GPUs. With several types,
/// whose search is slow, the classes of `best` with new micro-batches.
std::optional<Scored> weak_strategy(const PlaceProblem& problem, int smallest_gpus,
                                    const Strategy& best) {
  const auto batch = static_cast<std::int64_t>(problem.job.batch) * problem.gpus() / smallest_gpus;
  if (batch > 1'000'000) return std::nullopt;
  const PlaceProblem scaled = with_batch(problem, static_cast<int>(batch));
  if (problem.types.size() > 1) {
    auto same = same_split(scaled.context(), best);
    return same && same->fits ? std::move(same) : std::nullopt;
  }
  const auto found = search(scaled.context(), {.gpus = problem.gpus(), .top = 1, .keep_going = {}});
  if (found.best.empty()) return std::nullopt;
  return found.best.front();
}

CaseResult run_case(const TrainingPlanRequest& request, const TrainingCase& one,
                    int smallest_gpus) {
  CaseResult result{.asked = one};
  try {
    const PlaceProblem problem = case_problem(one.cluster, one.nodes, request.job, one.gpus);
    const BestStrategy found = best_strategy(problem, request.verify, request.engines);
    result.why_not = found.why_not;
    result.too_large = found.too_large;
    if (!found.best) return result;
    result.option = option_of(request, problem, one.cluster, *found.best);
    result.weak = weak_strategy(problem, smallest_gpus, found.best->scored.strategy);
  } catch (const InputError& error) {
    result.why_not = error.what();
  }
  return result;
}

}  // namespace

std::vector<TrainingCase> training_cases(const std::string& candidate, std::vector<int> gpus) {
  const topology::ClusterSpec spec = topology::read_cluster(candidate);
  const int per_node = spec.node_specs.front().gpu_count();
  int nodes = 0;
  for (std::size_t i = 0; i < spec.node_specs.size(); ++i) {
    if (spec.node_specs[i].gpu_count() != per_node)
      throw InputError("", "--candidates",
                       fmt::format("{} has nodes of {} and of {} GPUs", candidate, per_node,
                                   spec.node_specs[i].gpu_count()),
                       "railyard place takes such clusters");
    nodes += spec.node_counts[i];
  }
  const int all = per_node * nodes;
  if (gpus.empty())
    for (const int part : {8, 4, 2, 1})
      if (all / part >= per_node) gpus.push_back(all / part);
  std::vector<TrainingCase> cases;
  for (const int number : gpus)
    cases.push_back({.cluster = candidate,
                     .gpus = number,
                     .nodes = std::max(1, (number + per_node - 1) / per_node)});
  return cases;
}

PlaceProblem case_problem(const std::string& cluster, int nodes, const Job& job, int gpus) {
  return problem_on(topology::build_cluster(topology::read_cluster(cluster, nodes)), job, gpus);
}

BestStrategy best_strategy(const PlaceProblem& problem, int verify, const EngineFactory& engines) {
  const Mapper mapper(problem, false);
  BestStrategy best;
  try {
    auto found = find_candidates({.top = 1,
                                  .verify = verify,
                                  .engines = engines,
                                  .only_fastest = true,
                                  .operations_in_full = 0},
                                 problem, mapper);
    if (found.front().scored.fits)
      best.best = std::move(found.front());
    else
      best.why_not = why_too_large(problem, found.front().scored);
    best.too_large = !best.best;
  } catch (const InputError& error) {
    best.why_not = error.what();
  }
  return best;
}

std::optional<double> price_of_case(const TrainingPlanRequest& request,
                                    const std::string& candidate, const PlaceProblem& problem,
                                    const Scored& best) {
  const auto given = request.prices.find(candidate);
  if (given != request.prices.end()) return given->second;
  double sum = 0;
  const std::vector<int> used = gpus_used(best.strategy, problem.types.size());
  for (std::size_t t = 0; t < used.size(); ++t) {
    if (used[t] == 0) continue;
    const auto& price = problem.types[t].gpu.price;
    if (!price || price->currency != request.training.currency) return std::nullopt;
    if (used[t] == best.strategy.gpus()) return price->per_hour;
    sum += used[t] * price->per_hour;
  }
  return sum / best.strategy.gpus();
}

TrainingOption option_of(const TrainingPlanRequest& request, const PlaceProblem& problem,
                         const std::string& candidate, const Verified& best) {
  Scored scored = best.scored;
  if (best.simulated) scored.step = *best.simulated;
  ClusterParts parts = cluster_parts(problem.cluster);
  add_network_power(parts, problem.cluster, request.parts_list);
  std::vector<GreyFailure> grey;
  if (request.grey_runners) grey = grey_failures(problem, scored.strategy, request.grey_runners);
  TrainingOption option = training_option(
      request.training, {.problem = problem, .parts = parts, .scored = scored, .grey = grey},
      price_of_case(request, candidate, problem, scored));
  option.cluster = candidate;
  option.asked_gpus = problem.gpus();
  option.asked_nodes = static_cast<int>(problem.cluster.node_count());
  option.simulated = best.simulated.has_value();
  option.parts = std::move(parts);
  return option;
}

std::vector<CaseResult> run_cases(const TrainingPlanRequest& request, int threads) {
  std::map<std::string, int> smallest;
  for (const TrainingCase& one : request.cases) {
    const auto [at, is_new] = smallest.try_emplace(one.cluster, one.gpus);
    if (!is_new) at->second = std::min(at->second, one.gpus);
  }
  std::vector<CaseResult> results(request.cases.size());
  // Largest cases first, because they take longest.
  std::vector<std::size_t> order(results.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t i) { return request.cases[i].gpus; });
  core::parallel_for(order.size(), threads, [&](std::size_t i, std::size_t) {
    const TrainingCase& one = request.cases[order[i]];
    results[order[i]] = run_case(request, one, smallest.at(one.cluster));
  });
  for (const std::string& candidate : request.candidates) {
    std::string why;
    bool has_option = false, too_large = false;
    for (const CaseResult& result : results) {
      if (result.asked.cluster != candidate) continue;
      has_option = has_option || result.option.has_value();
      too_large = too_large || result.too_large;
      if (!result.option) why = result.why_not;
    }
    if (!has_option && too_large)
      throw InputError("", "--candidates",
                       fmt::format("{} does not fit on {}: {}", request.job.name, candidate, why),
                       "more GPUs (--gpus), or another candidate");
  }
  return results;
}

}  // namespace railyard::placement
