#pragma once

#include <vector>

#include "apps/cli/context.hpp"
#include "apps/place/question.hpp"
#include "placement/search/goal.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::apps {

/// Where the ranks of a mixed strategy may sit.
using MixedMappings = std::function<std::vector<placement::Mapping>(const placement::Strategy&)>;

/// What the flags choose a mixed strategy by. Throws InputError where a rate is missing.
[[nodiscard]] placement::Goal goal_of(const PlaceFlags& flags, const Question& question);

/// What a goal makes smallest, of a job's strategy.
[[nodiscard]] double value_in(const placement::Goal& goal, const placement::Job& job,
                              const placement::Scored& scored);

/// --fix; the rest of it is to be chosen.
[[nodiscard]] placement::FixedStrategy given_strategy(const PlaceFlags& flags);

/// How many of the best the flags want to be simulated.
[[nodiscard]] int runs_wanted(const PlaceFlags& flags);

/// As candidates_of, over several types of GPU: with several batches the one is taken (and made the
/// question's) of which a sequence takes least by formula, or that is best by the
/// objective. Throws InputError where none is within --max-days.
[[nodiscard]] std::vector<placement::Verified> mixed_candidates(const PlaceFlags& flags,
                                                                Question& question,
                                                                const MixedMappings& mappings,
                                                                Provenance& provenance,
                                                                Context& context);

/// Runs strategies as they are, each for itself, without a word.
[[nodiscard]] std::vector<placement::Verified> run_each(
    const PlaceFlags& flags, const Question& question, const MixedMappings& mappings,
    std::span<const placement::Scored> strategies);

}  // namespace railyard::apps
