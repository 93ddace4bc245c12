#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/jobs/place_problem.hpp"
#include "placement/search/search.hpp"

namespace railyard::placement {

/// A strategy as a user writes it, in place of a search.
struct StrategyText {
  std::string fix{};            ///< "tp=8,pp=8"
  std::string megatron{};       ///< Megatron-LM arguments, or a file with them
  bool keeps_batch = false;     ///< uses the problem's batch, not that of the arguments
  bool keeps_sequence = false;  ///< likewise its sequence length
  [[nodiscard]] bool empty() const { return fix.empty() && megatron.empty(); }
};

/// A problem with the strategy that is given for it.
struct GivenProblem {
  PlaceProblem problem;  ///< with the batch and sequence of the Megatron-LM arguments
  std::optional<GivenStrategy> strategy{};  ///< nothing: strategies are searched
  std::vector<std::string> notes{};         ///< on the arguments
};

/// Reads a text; an empty text gives no strategy. With one GPU type, a missing dp is the number of
/// GPUs divided by the other sizes. With several types or classes of replicas, the search chooses
/// the missing sizes. Throws InputError with every problem of the text.
[[nodiscard]] GivenProblem read_given(const StrategyText& text, PlaceProblem problem);

/// Whether a given strategy needs no search: one GPU type, without classes of replicas.
[[nodiscard]] bool is_complete(const CostContext& context, const Strategy& strategy);

/// A given strategy with its cost, whether it fits or not. If sizes are missing, the fastest
/// completion that fits. Throws InputError if there is none.
[[nodiscard]] ScoredStrategy score_given(const CostContext& context, const GivenStrategy& given);

/// Throws InputError: no pipelines divide the job over these GPUs, or with `is_given` none that
/// match the given strategy.
[[noreturn]] void refuse_indivisible(const CostContext& context, bool is_given);

}  // namespace railyard::placement
