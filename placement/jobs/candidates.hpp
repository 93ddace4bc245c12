#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placement/jobs/mapper.hpp"
#include "placement/jobs/node_choice.hpp"
#include "placement/search/goal.hpp"
#include "placement/search/search.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::placement {

/// Callbacks of a long search; each may be empty.
struct SearchWatch {
  std::function<void(std::string text)> note{};    ///< on the search, a part of its result
  std::function<void(std::string text)> remark{};  ///< for the user alone
  /// Called with what is done and its progress (0 to 1); false stops it.
  std::function<bool(std::string_view what, double done)> keep_going{};
  std::function<void()> finished{};  ///< after each part of which the progress was told

  void report(std::string text) const {
    if (note) note(std::move(text));
  }
};

/// How the strategies of a problem are found.
struct CandidateRequest {
  std::optional<GivenStrategy> given{};  ///< nothing: strategies are searched
  SearchSpace space{};                   ///< gpus and top do not count
  Goal goal{};     ///< over several types it orders the strategies; on one type the time does
  int top = 5;     ///< how many to return
  int verify = 0;  ///< how many of the fastest to simulate
  EngineFactory engines{};
  std::vector<int> runs{};     ///< simulated steps to keep (VerifyRequest::runs)
  bool keeps_fastest = false;  ///< VerifyRequest::keeps_fastest
  bool only_fastest = false;   ///< VerifyRequest::only_fastest, where the time orders them
  /// VerifyRequest::operations_in_full.
  std::uint64_t operations_in_full = kOperationsInFull;
  const Scored* so_far = nullptr;  ///< the best of a search that was stopped before: it is taken
  SearchWatch watch{};
};

/// The strategies of a problem, the best first: by formula, the first of them simulated and ordered
/// by that. Stopping ends search and simulation early. Throws InputError where no strategy divides
/// the job, and over several types where none is within the goal's days.
[[nodiscard]] std::vector<Verified> find_candidates(const CandidateRequest& request,
                                                    const PlaceProblem& problem,
                                                    const Mapper& mapper);

/// Whether strategies are ordered by the value of the goal: over several types, with another
/// objective than time.
[[nodiscard]] bool orders_by_value(const Goal& goal, const PlaceProblem& problem);

/// The strategy with its step as simulated, where it was.
[[nodiscard]] Scored as_simulated(const Verified& one);

/// Whether links are slower than formulas assume: broken ones, or other jobs that send.
[[nodiscard]] bool is_disturbed(const PlaceProblem& problem);

}  // namespace railyard::placement
