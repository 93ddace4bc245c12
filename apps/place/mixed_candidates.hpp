#pragma once

#include <vector>

#include "apps/cli/context.hpp"
#include "apps/place/place_request.hpp"
#include "placement/search/goal.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::apps {

/// --fix; the rest of it is to be chosen.
[[nodiscard]] placement::GivenStrategy given_strategy(const std::string& fix);

/// The value of a goal for a strategy of the job.
[[nodiscard]] double value_in(const placement::Goal& goal, const placement::Job& job,
                              const placement::Scored& scored);

/// Where the ranks of a strategy may sit.
using MixedMappings = std::function<std::vector<placement::Mapping>(const placement::Strategy&)>;

/// How many of the best are simulated.
[[nodiscard]] int runs_wanted(const PlaceRequest& request);

/// Strategies that were searched, and the problem with the batch that was best.
struct BatchSearch {
  placement::PlaceProblem problem;
  std::vector<placement::Scored> best;
};

/// Searches with each batch that may be used, and keeps the one with the least time per sequence by
/// formula, or the least value of the objective. Throws InputError where none is within --max-days.
[[nodiscard]] BatchSearch search_batches(const PlaceRequest& request,
                                         const placement::PlaceProblem& problem, Context& context);

/// As candidates_of, over several types of GPU: the best of a search, the first of them simulated.
[[nodiscard]] std::vector<placement::Verified> mixed_candidates(
    const PlaceRequest& request, const placement::PlaceProblem& problem,
    const MixedMappings& mappings, std::vector<placement::Scored> best, Provenance& provenance,
    Context& context);

/// Runs strategies as they are, each for itself, without a word.
[[nodiscard]] std::vector<placement::Verified> run_each(
    const PlaceRequest& request, const placement::PlaceProblem& problem,
    const MixedMappings& mappings, std::span<const placement::Scored> strategies);

}  // namespace railyard::apps
