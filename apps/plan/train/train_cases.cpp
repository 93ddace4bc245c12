#include "apps/plan/train/train_cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/setting.hpp"
#include "apps/place/place_engine.hpp"
#include "core/diagnostic.hpp"
#include "core/parallel.hpp"
#include "placement/capacity/budget/network_power.hpp"
#include "placement/jobs/candidates.hpp"
#include "placement/search/search.hpp"

namespace railyard::apps {
namespace {

using placement::PlaceProblem;
using placement::Scored;

ClusterFlags flags_of(const TrainCase& one) {
  return {.cluster = one.cluster, .nodes = one.nodes, .gpus = {}, .ranks = {}};
}

/// By how much the nearest strategy misses the memory, and on how many more GPUs one fits.
std::string why_too_large(const PlaceProblem& problem, const Scored& nearest) {
  std::string text =
      fmt::format("{:.1f} GB too much for a GPU",
                  (nearest.memory.total() - problem.types.front().gpu.gpu.memory).gigabytes());
  constexpr int kMostTimes = 64;
  for (int gpus = 2 * problem.gpus(); gpus <= kMostTimes * problem.gpus(); gpus *= 2)
    if (!placement::search(problem.context(), {.gpus = gpus, .top = 1, .keep_going = {}})
             .best.empty())
      return fmt::format("{}; it fits on {} such GPUs", text, gpus);
  return text;
}

/// The fastest by formula with the batch in proportion to the GPUs.
std::optional<Scored> weak_strategy(const PlaceProblem& problem, int smallest_gpus) {
  const auto batch = static_cast<std::int64_t>(problem.job.batch) * problem.gpus() / smallest_gpus;
  if (batch > 1'000'000) return std::nullopt;
  const PlaceProblem scaled = with_batch(problem, static_cast<int>(batch));
  const auto found =
      placement::search(scaled.context(), {.gpus = problem.gpus(), .top = 1, .keep_going = {}});
  if (found.best.empty()) return std::nullopt;
  return found.best.front();
}

TrainResult run_case(const TrainPlanRequest& request, const TrainCase& one, int smallest_gpus) {
  TrainResult result{.asked = one};
  try {
    Provenance unheard;
    const PlaceProblem problem =
        case_problem(load_cluster(flags_of(one), unheard), request.job, one.gpus);
    const BestStrategy found = best_strategy(problem, request.verify);
    result.why_not = found.why_not;
    result.too_large = found.too_large;
    if (!found.best) return result;
    result.option = option_of(request, problem, one.cluster, *found.best);
    result.weak = weak_strategy(problem, smallest_gpus);
  } catch (const InputError& error) {
    result.why_not = error.what();
  }
  return result;
}

}  // namespace

PlaceProblem case_problem(topology::Cluster cluster, const placement::Job& job, int gpus) {
  placement::ProblemParts parts{.cluster = std::move(cluster), .routing = {}, .gpus = gpus};
  parts.routing = routing_of(parts.cluster, {}, {});
  parts.job = job;
  for (std::size_t r = 0; r < parts.cluster.rank_count(); ++r) parts.usable.emplace_back(r);
  return placement::make_problem(std::move(parts));
}

BestStrategy best_strategy(const PlaceProblem& problem, int verify) {
  const placement::Mapper mapper(problem, false);
  BestStrategy best;
  try {
    auto found = placement::find_candidates(
        {.top = 1, .verify = verify, .engines = engines_of("flow")}, problem, mapper);
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

std::optional<double> price_of_case(const TrainPlanRequest& request, const std::string& candidate,
                                    const PlaceProblem& problem) {
  const auto given = request.prices.find(candidate);
  if (given != request.prices.end()) return given->second;
  const auto& price = problem.types.front().gpu.price;
  if (!price || price->currency != request.training.currency) return std::nullopt;
  return price->per_hour;
}

placement::TrainingOption option_of(const TrainPlanRequest& request, const PlaceProblem& problem,
                                    const std::string& candidate, const placement::Verified& best) {
  Scored scored = best.scored;
  if (best.simulated) scored.step = *best.simulated;
  placement::ClusterParts parts = placement::cluster_parts(problem.cluster);
  placement::add_network_power(parts, problem.cluster, request.parts_list);
  placement::TrainingOption option = placement::training_option(
      request.training, problem, parts, scored, price_of_case(request, candidate, problem));
  option.cluster = candidate;
  option.simulated = best.simulated.has_value();
  return option;
}

std::vector<TrainResult> run_cases(const TrainPlanRequest& request, int threads,
                                   Provenance& provenance) {
  std::map<std::string, int> smallest;
  for (const TrainCase& one : request.cases) {
    const auto [at, is_new] = smallest.try_emplace(one.cluster, one.gpus);
    if (!is_new) at->second = std::min(at->second, one.gpus);
  }
  for (const std::string& candidate : request.candidates)
    (void)load_cluster({.cluster = candidate, .nodes = {}, .gpus = {}, .ranks = {}}, provenance);
  std::vector<TrainResult> results(request.cases.size());
  // The largest first: they take longest.
  std::vector<std::size_t> order(results.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t i) { return request.cases[i].gpus; });
  core::parallel_for(order.size(), threads, [&](std::size_t i, std::size_t) {
    const TrainCase& one = request.cases[order[i]];
    results[order[i]] = run_case(request, one, smallest.at(one.cluster));
  });
  for (const std::string& candidate : request.candidates) {
    std::string why;
    bool has_option = false, too_large = false;
    for (const TrainResult& result : results) {
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

}  // namespace railyard::apps
