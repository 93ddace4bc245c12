#pragma once

#include <vector>

#include "apps/cli/context.hpp"
#include "apps/place/mapped.hpp"
#include "apps/place/question.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::apps {

/// The strategies of a question: the fastest by formula (or the one that is given), the first of
/// them run again by an engine, in the order of what came of that. Ctrl-C ends search and runs with
/// what there is; `so_far` stands for all where it was pressed before. Notes say how many were met,
/// and go to standard error as well. Throws InputError where no strategy divides the job.
[[nodiscard]] std::vector<placement::Verified> candidates_of(
    const PlaceFlags& flags, Question& question, const Mapper& mapper, Provenance& provenance,
    Context& context, const placement::Scored* so_far = nullptr);

}  // namespace railyard::apps
