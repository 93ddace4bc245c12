#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/place/question.hpp"
#include "placement/model/objective.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::apps {

/// The best strategy on a number of GPUs, and what the whole job takes there.
struct CountOutlook {
  placement::Scored best{};
  placement::Outlook outlook{};
  int batch = 0;
  bool allowed = true;  ///< within --max-days
  bool chosen = false;
  std::string text{};  ///< of a strategy over several types of GPU
};

/// Of --objective; time where it is left out.
[[nodiscard]] placement::Objective objective_of(const ObjectiveFlags& flags);
/// Of flags for type `type` of `types`, or what the objective needs where they say nothing of the
/// GPU's config. Throws InputError for flags with as many values as there are not types.
[[nodiscard]] placement::Rates rates_of(const ObjectiveFlags& flags,
                                        const placement::Processor& gpu, std::size_t type = 0,
                                        std::size_t types = 1);
/// 0 where neither flag nor job say, and the objective does not ask. Throws InputError where it
/// does.
[[nodiscard]] double tokens_of(const ObjectiveFlags& flags, const placement::Job& job);

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

/// The best of the chosen one; null where nothing was to be chosen.
[[nodiscard]] const placement::Scored* chosen_of(std::span<const CountOutlook> counts);

/// Where the price or the power of an objective came from the GPU's config, and no flag gave it.
[[nodiscard]] std::vector<std::string> rate_notes(const PlaceFlags& flags,
                                                  const Question& question);

/// A line per outlook.
[[nodiscard]] RowTable tabulate_outlooks(std::span<const CountOutlook> rows);

/// Days, cost and energy of what was found and of the other numbers of GPUs and batches, where an
/// objective was asked for or a batch was chosen. Whether the best is within --max-days.
[[nodiscard]] bool add_outlooks(const PlaceFlags& flags, const Question& question,
                                std::span<const placement::Verified> found,
                                std::span<const CountOutlook> counts, ResultDocument& document);

}  // namespace railyard::apps
