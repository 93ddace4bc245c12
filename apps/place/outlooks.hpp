#pragma once

#include <span>
#include <vector>

#include "apps/context.hpp"
#include "apps/place/question.hpp"
#include "placement/objective.hpp"
#include "placement/verify_search.hpp"

namespace railyard::apps {

/// The best strategy on a number of GPUs, and what the whole job takes there.
struct CountOutlook {
  placement::Scored best{};
  placement::Outlook outlook{};
  bool allowed = true;  ///< within --max-days
  bool chosen = false;
};

/// With an objective other than time: searches on all GPUs, a half, a quarter ... of them, as long
/// as something fits, and makes the number with the best objective that of the question. Empty
/// where nothing was to be chosen. Throws InputError for an objective that lacks its rate, and
/// where no number meets the limit.
[[nodiscard]] std::vector<CountOutlook> choose_gpus(const PlaceFlags& flags, Question& question,
                                                    Context& context);

/// Days, cost and energy of what was found and of the other numbers of GPUs, where an objective was
/// asked for.
void add_outlooks(const PlaceFlags& flags, const Question& question,
                  std::span<const placement::Verified> found, std::span<const CountOutlook> counts,
                  ResultDocument& document);

}  // namespace railyard::apps
