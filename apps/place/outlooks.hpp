#pragma once

#include <span>
#include <string>
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
  int batch = 0;
  bool allowed = true;  ///< within --max-days
  bool chosen = false;
};

/// The batches that may be taken: that of the job (or of --batch), those that the job lists, and
/// with --max-batch the first one doubled as often as the limit allows. Throws InputError where the
/// limit leaves none.
[[nodiscard]] std::vector<int> batches_of(const PlaceFlags& flags, const placement::Job& job);

/// With several batches, or an objective other than time: searches with each batch on all GPUs, and
/// with such an objective on a half, a quarter ... of them, as long as something fits, and makes
/// batch and number with the best objective (by time: of a sequence) those of the question. Empty
/// where nothing was to be chosen. Throws InputError for an objective that lacks its rate, and
/// where none meets the limit.
[[nodiscard]] std::vector<CountOutlook> choose_gpus(const PlaceFlags& flags, Question& question,
                                                    Context& context);

/// Where the price or the power of an objective came from the GPU's config, and no flag gave it.
[[nodiscard]] std::vector<std::string> rate_notes(const PlaceFlags& flags,
                                                  const Question& question);

/// Days, cost and energy of what was found and of the other numbers of GPUs and batches, where an
/// objective was asked for or a batch was chosen. Whether the best is within --max-days.
[[nodiscard]] bool add_outlooks(const PlaceFlags& flags, const Question& question,
                                std::span<const placement::Verified> found,
                                std::span<const CountOutlook> counts, ResultDocument& document);

}  // namespace railyard::apps
