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
  bool keeps_batch = false;     ///< the problem's batch counts, not that of the arguments
  bool keeps_sequence = false;  ///< likewise its sequence length
  [[nodiscard]] bool empty() const { return fix.empty() && megatron.empty(); }
};

/// A problem with the strategy that is given for it.
struct GivenProblem {
  PlaceProblem problem;  ///< with the batch and sequence of the Megatron-LM arguments
  std::optional<GivenStrategy> strategy{};  ///< nothing: strategies are searched
  std::vector<std::string> notes{};         ///< on the arguments
};

/// Reads a text; an empty one gives nothing. On one type of GPU dp is what the GPUs leave where it
/// is not given; over several types, and for classes of replicas, the search chooses what is not
/// given. Throws InputError with every problem of the text.
[[nodiscard]] GivenProblem read_given(const StrategyText& text, PlaceProblem problem);

/// Whether a given strategy leaves nothing to be chosen: it is on one type, without classes.
[[nodiscard]] bool is_complete(const CostContext& context, const Strategy& strategy);

/// A given strategy with its cost, whether it fits or not; of several ways to complete it the
/// fastest that fits. Throws InputError where it cannot be.
[[nodiscard]] Scored score_given(const CostContext& context, const GivenStrategy& given);

/// Throws InputError: no pipelines divide the job over these GPUs as the strategy asks, or none
/// does where nothing is given.
[[noreturn]] void refuse_indivisible(const CostContext& context, bool is_given);

}  // namespace railyard::placement
