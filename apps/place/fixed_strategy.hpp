#pragma once

#include <string>
#include <vector>

#include "placement/jobs/place_problem.hpp"

namespace railyard::apps {

/// A strategy that is given instead of searched.
struct GivenStrategy {
  std::string fix{};         ///< "tp=8,pp=8"
  std::string megatron{};    ///< Megatron-LM arguments, or a file with them
  bool keeps_batch = false;  ///< the problem's batch counts, not that of the arguments
  [[nodiscard]] bool empty() const { return fix.empty() && megatron.empty(); }
};

/// It, read for a problem.
struct FixedStrategy {
  placement::Strategy strategy{};
  placement::PlaceProblem problem;   ///< with the batch and sequence of the Megatron-LM arguments
  std::vector<std::string> notes{};  ///< on the arguments
};

/// Reads a given strategy; dp is what the GPUs leave where it is not given. Throws InputError with
/// every problem of it.
[[nodiscard]] FixedStrategy read_fixed_strategy(const GivenStrategy& given,
                                                placement::PlaceProblem problem);

}  // namespace railyard::apps
