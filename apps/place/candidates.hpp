#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/output/rows.hpp"
#include "placement/jobs/mapper.hpp"
#include "placement/jobs/node_choice.hpp"
#include "placement/search/search.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::apps {

/// How the strategies of a problem are found.
struct CandidateRequest {
  std::optional<placement::Strategy> fixed{};  ///< the only one; nothing: they are searched
  placement::SearchSpace space{};              ///< gpus and top do not count
  int top = 5;                                 ///< how many to return
  int verify = 0;                              ///< how many of the fastest to simulate
  placement::EngineFactory engines{};
  std::vector<int> runs{};    ///< simulated steps to keep (VerifyRequest::runs)
  std::string gemm_table{};   ///< file of the problem's measured products; empty: none
  bool interruptible = true;  ///< ctrl-C ends a search early; false where several run
};

/// The strategies of a problem, the fastest first: by formula, the first of them simulated and
/// ordered by that. Ctrl-C ends search and simulation early; `so_far` is the result where it was
/// pressed before. Notes on the search go to `provenance` and standard error. Throws InputError
/// where no strategy divides the job.
[[nodiscard]] std::vector<placement::Verified> candidates_of(
    const CandidateRequest& request, const placement::PlaceProblem& problem,
    const placement::Mapper& mapper, Provenance& provenance, Context& context,
    const placement::Scored* so_far = nullptr);

}  // namespace railyard::apps
